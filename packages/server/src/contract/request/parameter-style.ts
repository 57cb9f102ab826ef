// Splits the text of a parameter by its style.
import { Refusal } from '../refusal/refusal';
import type { Notation, Style } from '../operation/notation';
import type { Parts } from './parameter-value';

const DELIMITERS: Readonly<Partial<Record<Style, RegExp>>> = {
  spaceDelimited: /%20|\+/,
  pipeDelimited: /\||%7C/i,
};

/**
 * Splits the text of a parameter into its parts (RFC 6570, and OpenAPI's table of styles). Decoding comes later, since
 * an encoded delimiter belongs to the value.
 *
 * @throws Refusal when the text is not in the style
 */
export function splitStyle(name: string, { style, explode, form }: Notation, text: string): Parts {
  switch (style) {
    case 'label':
      return split(name, form, strip(name, '.', text), explode ? '.' : ',', explode);
    case 'matrix':
      return takeMatrixApart(name, { form, explode }, text);
    default:
      return split(name, form, text, DELIMITERS[style] ?? ',', explode && style === 'simple');
  }
}

function takeMatrixApart(name: string, { form, explode }: Pick<Notation, 'form' | 'explode'>, text: string): Parts {
  const rest = strip(name, ';', text);
  if (form === 'members' && explode) return split(name, form, rest, ';', true);
  if (form === 'list' && explode) return rest.split(';').map((part) => strip(name, `${name}=`, part));
  return split(name, form, strip(name, `${name}=`, rest), ',', false);
}

// eslint-disable-next-line max-params -- the text, and all that says how it is split
function split(
  name: string,
  form: Notation['form'],
  text: string,
  delimiter: string | RegExp,
  isPaired: boolean,
): Parts {
  if (form === 'one') return text;
  const parts = text.split(delimiter);
  if (form === 'list') return parts;
  if (isPaired) {
    return parts.map((part) => {
      const separator = part.indexOf('=');
      if (separator === -1) throw malformed(name);
      return [part.slice(0, separator), part.slice(separator + 1)] as const;
    });
  }
  if (parts.length % 2 === 1) throw malformed(name);
  return Array.from(
    { length: parts.length / 2 },
    (_, index) => [String(parts[2 * index]), String(parts[2 * index + 1])] as const,
  );
}

function strip(name: string, prefix: string, text: string): string {
  if (!text.startsWith(prefix)) throw malformed(name);
  return text.slice(prefix.length);
}

function malformed(name: string): Refusal {
  return new Refusal('INVALID_PARAMETER', `${name} is not written in its style`, { rule: 'style' });
}
