// Parses the bytes of a multipart/form-data.
import { isUtf8 } from 'node:buffer';
import { childOf, itemOf, type Shape } from '../document/shape';
import { parseExactJson } from '../json/exact-json';
import type { BodyMedia } from '../operation/bodies-and-replies';
import type { FormPart } from '../operation/form-parts';
import { parseMediaType, rank } from '../operation/media-type';
import { Refusal } from '../refusal/refusal';
import { readParts, type SentPart } from './read-parts';
import { toValue, type ReadValue } from './parameter-value';

const UNDECLARED_TEXT: FormPart = { kind: 'text', isList: false, types: [] };
const UNDECLARED_FILE: FormPart = { kind: 'file', isList: false, types: [] };

/**
 * Parses the bytes of a multipart/form-data (RFC 7578). They are in memory, as those of any body, so that nothing is left
 * behind whatever becomes of the request. The name of a file is a text for the handler, and never a path.
 *
 * @param contentType the header, with the boundary
 * @throws Refusal when the bytes are no such form, or have parts that are not as declared
 */
export async function parseMultipart(
  { shape, parts }: BodyMedia,
  bytes: Buffer,
  contentType: string,
): Promise<ReadValue> {
  const body = shape.properties.get('body');
  const groups = Map.groupBy(await readParts(bytes, contentType), ({ name }) => name);
  const members = [...groups].map(([name, sent]): [string, ReadValue] => {
    const part = parts?.get(name) ?? (sent[0]?.fileName === undefined ? UNDECLARED_TEXT : UNDECLARED_FILE);
    const { isList } = part;
    const child = childOf(body, name);
    const values = sent.map((one, index) => readPart(one, part, isList ? itemOf(child, index) : child));
    const [first, another] = values;
    const [whole] = sent;
    // An array may be one part of JSON, too.
    if (whole && first && (!isList || (!another && part.kind === 'json' && Array.isArray(first.value)))) {
      if (another) throw refuse(name, 'once', 'is there twice');
      return [name, isList ? readPart(whole, part, child) : first];
    }
    return [name, { value: values.map(({ value }) => value), tokens: values.map(({ tokens }) => tokens) }];
  });
  return {
    value: Object.fromEntries(members.map(([name, { value }]) => [name, value])),
    tokens: Object.fromEntries(members.map(([name, { tokens }]) => [name, tokens])),
  };
}

function readPart(
  { name, fileName, type, bytes }: SentPart,
  { kind, types }: Pick<FormPart, 'kind' | 'types'>,
  shape: Shape | undefined,
): ReadValue {
  if (kind === 'file') {
    if (fileName === undefined) throw refuse(name, 'file', 'must be a file, which is a part with a filename');
    const sent = parseMediaType(type);
    if (types.length > 0 && !types.some((one) => sent && rank(one, sent) > 0)) {
      throw refuse(name, 'contentType', `must be of ${types.map((one) => one.name).join(', ')}`);
    }
    return { value: new File([bytes as Buffer<ArrayBuffer>], fileName, { type }), tokens: undefined };
  }
  if (kind === 'json') return parseExactJson(bytes, shape);
  if (!isUtf8(bytes)) throw new Refusal('INVALID_UTF8');
  const text = bytes.toString('utf8');
  return { value: toValue(shape, text), tokens: text };
}

function refuse(name: string, rule: string, problem: string): Refusal {
  return new Refusal('INVALID_BODY', `request/body/${name} ${problem}`, { rule });
}
