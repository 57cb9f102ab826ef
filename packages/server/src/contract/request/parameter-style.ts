// Splits the text of a parameter by its style.
import { Refusal } from '../refusal/refusal';
import type { Notation, Style } from '../operation/notation';
import type { SplitText } from './parameter-value';

// Of any other style, a comma.
const DELIMITERS: Readonly<Partial<Record<Style, RegExp>>> = {
  spaceDelimited: /%20|\+/,
  pipeDelimited: /\||%7C/i,
};

/**
 * Splits the text of a parameter into items or pairs (RFC 6570, and OpenAPI's table of styles). Decoding comes later, since
 * an encoded delimiter belongs to the value. With the style simple, `3,4` are items, and `r,1,g,2` or exploded `r=1,g=2` pairs.
 *
 * @throws Refusal when the text is not in the style
 */
export function splitStyle(name: string, { style, explode, form }: Notation, text: string): SplitText {
  switch (style) {
    // .3.4
    case 'label':
      return split(name, form, strip(name, '.', text), explode ? '.' : ',', explode);
    case 'matrix':
      return splitMatrix(name, { form, explode }, text);
    default:
      return split(name, form, text, DELIMITERS[style] ?? ',', explode && style === 'simple');
  }
}

/** Splits `;id=3,4` or exploded `;id=3;id=4` into items, and `;color=r,1,g,2` or exploded `;r=1;g=2` into pairs. */
function splitMatrix(name: string, { form, explode }: Pick<Notation, 'form' | 'explode'>, text: string): SplitText {
  const rest = strip(name, ';', text);
  if (form === 'object' && explode) return split(name, form, rest, ';', true);
  if (form === 'array' && explode) return rest.split(';').map((part) => stripName(name, part));
  return split(name, form, stripName(name, rest), ',', false);
}

// Before an empty value there is no equals sign (RFC 6570 section 3.2.7).
function stripName(name: string, part: string): string {
  return part === name ? '' : strip(name, `${name}=`, part);
}

// A scalar is not split. The pairs of an object are `r=1,g=2` with equals signs, otherwise `r,1,g,2`.
// eslint-disable-next-line max-params -- the text, and all that says how it is split
function split(
  name: string,
  form: Notation['form'],
  text: string,
  delimiter: string | RegExp,
  hasEqualsSigns: boolean,
): SplitText {
  if (form === 'scalar') return text;
  const parts = text.split(delimiter);
  if (form === 'array') return parts;
  if (hasEqualsSigns) {
    return parts.map((part) => {
      const separator = part.indexOf('=');
      // Of the style matrix, a name alone has an empty value.
      if (separator === -1 && delimiter === ';') return [part, ''] as const;
      if (separator === -1) throw toStyleRefusal(name);
      return [part.slice(0, separator), part.slice(separator + 1)] as const;
    });
  }
  // Names and values take turns.
  if (parts.length % 2 === 1) throw toStyleRefusal(name);
  return Array.from(
    { length: parts.length / 2 },
    (_, index) => [String(parts[2 * index]), String(parts[2 * index + 1])] as const,
  );
}

function strip(name: string, prefix: string, text: string): string {
  if (!text.startsWith(prefix)) throw toStyleRefusal(name);
  return text.slice(prefix.length);
}

function toStyleRefusal(name: string): Refusal {
  return new Refusal('INVALID_PARAMETER', `${name} is not written in its style`, { rule: 'style' });
}
