// A parameter in querystring is the whole query, so its values are generated like bodies.
import type { Content, Operation, Parameter } from '../contract/model';
import { toQuery, writeContent } from '../contract/serialization';
import type { Values } from '../values/variant';
import { createBodies } from './body-values';
import type { Draft } from './case';
import { createMalformedBodies } from './malformed-bodies';
import { createMalformedEncodings } from './parameter-spellings';
import type { SentBody } from './sent-body';
import { baseOfParameter, NOT_SENT, validRequest } from './valid-request';

// The longest query that is sent, because servers limit the length of a target.
const MAX_LENGTH = 4_000;

export function createQuerystringCases(
  values: Values,
  operation: Operation,
  parameter: Parameter,
  content: Content,
): Draft[] {
  const { pointer, name, isRequired, skipReason } = parameter;
  const createCase = (
    label: string,
    query: readonly string[],
    draft: Pick<Draft, 'expect'> & Partial<Draft>,
  ): Draft => ({
    ...{ pointer, label: `querystring ${name}, ${label}` },
    request: validRequest(values, operation, { parameters: new Map([[parameter, query]]) }),
    ...draft,
  });
  const omittedCase = createCase('left out', NOT_SENT, { expect: isRequired ? 'refused' : 'accepted' });
  if (skipReason) return [omittedCase];
  const createBodyCases = (sent: SentBody, expect: Draft['expect']): Draft[] => {
    const { label, body, implementationDefined, level, interpretation: value } = sent;
    const query = toQuery(content, body);
    // Some characters of a form are not allowed in a target, and a server may treat an empty query as missing.
    if (!/^[!-~]+$/.test(query) || query.length > MAX_LENGTH) return [];
    const interpretation = value === undefined ? undefined : { place: 'querystring' as const, name, value };
    return [createCase(label, [query], { expect, implementationDefined, level, interpretation })];
  };
  const skipped = content.schema.contract.skipped;
  const base = skipped.attempt(() => writeContent(content, baseOfParameter(values, parameter)), undefined);
  const malformedBodies = base === undefined ? [] : createMalformedBodies(content, base.toString());
  const encodings = base === undefined ? [] : createMalformedEncodings(parameter, [toQuery(content, base)]);
  return [
    ...createBodies(values, content, true).flatMap((sent) => createBodyCases(sent, 'accepted')),
    ...createBodies(values, content, false).flatMap((sent) => createBodyCases(sent, 'refused')),
    ...malformedBodies.flatMap(
      ([label, body, { level = 'robust' as const, expect = 'refused' as const, implementationDefined } = {}]) =>
        createBodyCases({ pointer, label, body: Buffer.from(body), level, implementationDefined }, expect),
    ),
    ...encodings.map(([label, query]) => createCase(label, query, { expect: 'refused' })),
    omittedCase,
  ];
}
