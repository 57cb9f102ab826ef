// Parses the bytes of a multipart/form-data.
import { isUtf8 } from 'node:buffer';
import { propertyShape, itemShape, type Shape } from '../document/shape';
import { parseExactJson } from '../json/exact-json';
import type { BodyMedia } from '../operation/bodies-and-replies';
import type { FormPart } from '../operation/form-parts';
import { parseMediaType, rank } from '../operation/media-type';
import { Refusal } from '../refusal/refusal';
import { readParts, toUtf8, type SentPart } from './read-parts';
import { toValue, type ReadValue } from './parameter-value';

const UNDECLARED_TEXT: FormPart = { kind: 'text', isList: false, types: [] };
const UNDECLARED_FILE: FormPart = { kind: 'file', isList: false, types: [] };

/** In memory (RFC 7578): no temporary files are left behind. @throws Refusal for malformed bytes, or a part not as declared */
export function parseMultipart({ shape, parts }: BodyMedia, bytes: Buffer, contentType: string): ReadValue {
  const body = shape.properties.get('body');
  const groups = Map.groupBy(readParts(bytes, contentType), ({ name }) => name);
  const members = [...groups].map(([name, sent]): [string, ReadValue] => {
    const [firstPart] = sent;
    const declared = parts?.get(name) ?? (firstPart?.fileName === undefined ? UNDECLARED_TEXT : UNDECLARED_FILE);
    const { isList } = declared;
    const child = propertyShape(body, name);
    const values = sent.map((part, index) => readPart(part, declared, isList ? itemShape(child, index) : child));
    const [first, another] = values;
    // An array has a part for each item, or a single part with a JSON array.
    if (firstPart && first && (!isList || (!another && declared.kind === 'json' && Array.isArray(first.value)))) {
      if (another) throw refuse(name, 'once', 'is there twice');
      // It was read as an item: read it again as the array.
      return [name, isList ? readPart(firstPart, declared, child) : first];
    }
    return [name, { value: values.map(({ value }) => value), tokens: values.map(({ tokens }) => tokens) }];
  });
  return {
    value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    tokens: Object.fromEntries(members.map(([name, { tokens }]) => [name, tokens])),
  };
}

// `types` are the media types that a file may have; empty for all.
function readPart(
  part: SentPart,
  { kind, types }: Pick<FormPart, 'kind' | 'types'>,
  shape: Shape | undefined,
): ReadValue {
  if (kind === 'file') {
    // A file need not have a filename (RFC 7578 section 4.2).
    const { name, fileName = '', type, bytes } = part;
    const sentType = parseMediaType(type);
    // A rank of 0 is no match.
    if (types.length > 0 && !types.some((allowed) => sentType && rank(allowed, sentType) > 0)) {
      throw refuse(name, 'contentType', `must be of ${types.map((allowed) => allowed.name).join(', ')}`);
    }
    // The name is a string for the handler, never a path.
    return { value: new File([bytes as Buffer<ArrayBuffer>], fileName, { type }), tokens: undefined };
  }
  const bytes = toUtf8(part);
  if (kind === 'json') return parseExactJson(bytes, shape);
  if (!isUtf8(bytes)) throw new Refusal('INVALID_UTF8');
  const text = bytes.toString('utf8');
  return { value: toValue(shape, text), tokens: text };
}

function refuse(name: string, rule: string, problem: string): Refusal {
  return new Refusal('INVALID_BODY', `request/body/${name} ${problem}`, { rule });
}
