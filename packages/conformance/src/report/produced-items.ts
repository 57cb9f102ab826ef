// Finds the items of coverage that the replies to a case produced.
import { CLASSES, type Case } from '../case';
import { findReply, operationOf, type Model, type Operation, type Reply } from '../contract/model';
import { propertiesOf, rulesOf, type Schema } from '../contract/schema';
import { bodyOf, contentOf } from '../oracle/body';
import { isAccepted } from '../oracle/status';
import type { CaseResult } from '../run-case';
import { isJsonObject, toText, type Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { mayAlwaysBePresent, securityName } from './declared-items';
import type { ItemName } from './item';
import { producedShapes } from './reply-shapes';

/** The reply to `before`, a preceding request on the same connection, comes first and does not count. */
export function producedItems(model: Model, { case: testCase, replies }: CaseResult): ItemName[] {
  const operation = operationOf(model, testCase);
  const ownReplies = testCase.before ? replies.slice(1) : replies;
  // No operation has to have cases of the classes `random` and `stateful`, so they are not counted.
  const isClassOfOperation = CLASSES.some((name) => name === testCase.class);
  return [
    ...(isClassOfOperation ? [{ operation: operation.id, kind: 'class', name: testCase.class } as const] : []),
    ...ownReplies.flatMap((reply) => [
      ...requestItems(operation, testCase, reply.status),
      ...replyItems(model, operation, testCase, reply),
    ]),
  ];
}

// A status proves each rule that the request kept and was accepted (`inside`), or broke and was refused (`outside`).
function requestItems(operation: Operation, { expect, alternative, covers: rules }: Case, status: number): ItemName[] {
  const { id } = operation;
  const isAcceptedAsExpected = expect === 'accepted' && isAccepted(operation, status);
  // A 401 is about the credentials, not about the rule.
  const isRefusedAsExpected = expect === 'refused' && status >= 400 && status < 500 && status !== 401;
  const security = isAcceptedAsExpected && alternative !== undefined ? [securityName(operation, alternative)] : [];
  return [
    ...security.map((name) => ({ operation: id, kind: 'security', name }) as const),
    ...(isAcceptedAsExpected ? rules : []).map((rule) => toRuleItem(id, rule, 'inside')),
    ...(isRefusedAsExpected ? rules : []).map((rule) => toRuleItem(id, rule, 'outside')),
  ];
}

function toRuleItem(operation: string, rule: string, side: 'inside' | 'outside'): ItemName {
  return { operation, kind: 'rule', name: `${rule}, ${side}` };
}

function replyItems(model: Model, operation: Operation, { expect }: Case, reply: WireReply): ItemName[] {
  const { id } = operation;
  const declared = findReply(operation, reply.status);
  const status = declared ? declaredStatusOf(operation, declared) : String(reply.status);
  const content = declared && contentOf(declared, reply);
  const mediaType = content?.mediaType ?? (valuesOf(reply, 'content-type').join() || 'without a body');
  const body = bodyOf(reply);
  // A 404 for an unknown path and a 405 for an unknown method are HTTP's, not replies of the operation.
  const isForProtocol = expect === 'unknown path' || expect === 'unknown method';
  const isRefusalByProtocol = isForProtocol && [404, 405].includes(reply.status);
  // Where a case expects no more than an answer, HTTP leaves open which, so it need not be declared.
  const isReplyOfOperation = expect !== 'answered' && !isRefusalByProtocol;
  const properties = content?.kind === 'json' ? producedProperties(content.schema, body) : [];
  // If a range such as 4XX or `default` is declared, it is not meant for refusals of HTTP.
  const hasShapes = declared && (!isForProtocol || status === String(reply.status));
  return [
    ...(isReplyOfOperation ? [{ operation: id, kind: 'reply', name: `${status} ${mediaType}` } as const] : []),
    ...properties.map((name) => ({ operation: id, kind: 'reply property', name: `${status} ${name}` }) as const),
    ...(hasShapes ? producedShapes(declared, reply, body) : []).map(
      (name) => ({ operation: id, kind: 'reply shape', name }) as const,
    ),
    ...producedErrors(model, operation, body),
  ];
}

// As the contract spells it: `404`, `4XX` or `default`.
function declaredStatusOf({ replies }: Operation, reply: Reply): string {
  return [...replies].find(([, other]) => other === reply)?.[0] ?? '';
}

// Such as `id, present`; `absent` counts only where replies may lack the property.
function producedProperties(schema: Schema, body: Json | undefined): string[] {
  if (!isJsonObject(body)) return [];
  return [...propertiesOf(schema).keys()]
    .filter((name) => name in body || !mayAlwaysBePresent(schema, name))
    .map((name) => `${name}, ${name in body ? 'present' : 'absent'}`);
}

// Such as `1004 BODY_REQUIRED`: the numbers in properties with the extension `x-error-catalogue`, with their names.
function producedErrors({ errors }: Model, { replies }: Operation, body: Json | undefined): ItemName[] {
  if (!isJsonObject(body) || errors.length === 0) return [];
  const contents = [...replies.values()].flatMap((reply) => reply.contents);
  const properties = contents.flatMap(({ schema }) => [...propertiesOf(schema)]);
  const numberProperties = properties.filter(([, property]) => rulesOf(property, 'x-error-catalogue').length > 0);
  const names = new Set(numberProperties.map(([name]) => name));
  return [...names].flatMap((name) => {
    const number = body[name];
    if (number === undefined) return [];
    const error = errors.find((entry) => entry.number === number)?.name ?? 'unknown';
    return [{ operation: '', kind: 'error', name: `${toText(number)} ${error}` } as const];
  });
}
