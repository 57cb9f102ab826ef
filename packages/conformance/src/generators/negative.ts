// Creates cases with invalid bodies.
import type { Case } from '../case';
import { findJson } from '../contract/read-content';
import type { Content, Operation } from '../contract/model';
import { fits, type Values } from '../values/variant';
import { isJsonObject, Members, toJson, writeJson } from '../wire/json';
import { badBodies } from './body-values';
import type { SentBody } from './sent-body';
import { toBody, validRequest } from './valid-request';

/**
 * Creates cases with invalid bodies, each of which breaks one rule, and cases without a required body. `covers` are the
 * ids of the rules that a case tests, for coverage; `leftOpen` is the clause of a standard that allows both replies.
 */
export function createNegativeCases(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  if (!body) return [];
  // The body is undefined when none is sent; `content` is the media type that it is sent as, the first one by default.
  const createCase = (sent: Omit<SentBody, 'body'> & { body: Buffer | undefined }, content?: Content): Case => ({
    operation: operation.id,
    class: 'negative',
    pointer: sent.pointer,
    label: content && body.contents[0] !== content ? `${content.mediaType}, ${sent.label}` : sent.label,
    keyword: sent.keyword,
    covers: sent.covers,
    request: validRequest(values, operation, { body: sent.body, ...(content && { content }) }),
    expect: 'refused',
    leftOpen: sent.leftOpen,
    ...(sent.level && { level: sent.level }),
  });
  const requiredRule = { pointer: body.pointer, covers: [`${body.pointer} required`], keyword: 'body' };
  const json = findJson(body.contents);
  return [
    ...body.contents.flatMap((content) =>
      [...badBodies(values, content), ...duplicateNameWithNull(values, body.pointer, content)].map((sent) =>
        createCase(sent, content),
      ),
    ),
    ...(body.isRequired ? [createCase({ ...requiredRule, label: 'required, no body', body: undefined })] : []),
    // An empty body is never JSON, but may be a valid text.
    ...(body.isRequired && json
      ? [createCase({ ...requiredRule, label: 'required, an empty body', body: Buffer.alloc(0) }, json)]
      : []),
  ];
}

/**
 * Makes a JSON body that has a name twice, the second time with an invalid null. A house rule: RFC 8259 section 4 does
 * not say which of two equal names counts. Empty when every member may be null, or when the body is no object.
 */
function duplicateNameWithNull(values: Values, pointer: string, { kind, schema }: Content): SentBody[] {
  const valid = kind === 'json' ? toJson(values.baseOf(schema)) : null;
  if (!isJsonObject(valid)) return [];
  const notNullable = Object.keys(valid).filter((name) => !fits(values, schema, { ...valid, [name]: null }));
  // One such name is enough.
  return notNullable.slice(0, 1).map((name) => ({
    pointer,
    label: 'the last of two equal names is wrong',
    keyword: 'spelling',
    covers: [],
    level: 'strict',
    body: toBody(writeJson(new Members([...Object.entries(valid), [name, null]]))),
  }));
}
