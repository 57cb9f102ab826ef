// Creates cases with invalid bodies.
import type { Case } from '../case';
import { findJson } from '../contract/read-content';
import type { Content, Operation } from '../contract/model';
import { fits, type Values } from '../values/variant';
import { isJsonObject, Members, toJson, writeJson } from '../wire/json';
import { badBodies } from './body-values';
import type { SentBody } from './sent-body';
import { toBody, validRequest } from './valid-request';

/** Creates cases with invalid bodies, each of which breaks one rule, and without a required body. */
export function createNegativeCases(values: Values, operation: Operation): Case[] {
  const { body } = operation;
  if (!body) return [];
  const createCase = (sent: Omit<SentBody, 'body'> & { body: Buffer | undefined }, content?: Content): Case => ({
    operation: operation.id,
    class: 'negative',
    pointer: sent.pointer,
    label: content && body.contents[0] !== content ? `${content.mediaType}, ${sent.label}` : sent.label,
    keyword: sent.keyword,
    request: validRequest(values, operation, { body: sent.body, ...(content && { content }) }),
    expect: 'refused',
    leftOpen: sent.leftOpen,
    ...(sent.level && { level: sent.level }),
  });
  const requiredRule = { pointer: body.pointer, keyword: 'body' };
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

// A house rule: RFC 8259 section 4 does not say which of two equal names counts.
function duplicateNameWithNull(values: Values, pointer: string, { kind, schema }: Content): SentBody[] {
  const valid = kind === 'json' ? toJson(values.baseOf(schema)) : null;
  if (!isJsonObject(valid)) return [];
  const notNullable = Object.keys(valid).filter((name) => !fits(values, schema, { ...valid, [name]: null }));
  return notNullable.slice(0, 1).map((name) => ({
    pointer,
    label: 'the last of two equal names is wrong',
    keyword: 'spelling',
    level: 'strict',
    body: toBody(writeJson(new Members([...Object.entries(valid), [name, null]]))),
  }));
}
