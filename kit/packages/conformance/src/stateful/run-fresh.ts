import { randomInt } from 'node:crypto';
import { operationOf, type Operation } from '../contract/model';
import type { Schema } from '../contract/schema';
import { readContent } from '../contract/serialization';
import { runCase, type Tools } from '../exchange/run-case';
import { baseValue } from '../generators/body-values';
import type { Case } from '../generators/case';
import { isIdempotencyKey, toBody, validRequest } from '../generators/valid-request';
import type { CaseResult } from '../oracle/checks';
import { fits, type Values } from '../values/variant';
import { isJsonList, isJsonObject, isSame, toJson, writeJson, type Json } from '../wire/json';
import { freshen, type Freshness, type FindReferencedId } from './bodies';

/**
 * Runs a case. After a 409, which says nothing about what the case tests, repeats it with fresh values. After any other
 * refusal of a valid request, repeats it with the contract's examples.
 */
export async function runFresh(
  { oracle, values, target }: Tools,
  testCase: Case,
  findReferencedId: FindReferencedId,
): Promise<CaseResult> {
  const freshen = (freshness: Freshness): Case | undefined => freshenCase(oracle.model, values, testCase, freshness);
  const result = await runCase(oracle, target, freshen({ findReferencedId }) ?? testCase);
  const [status = 0] = result.findings.length === 0 ? result.replies.map((reply) => reply.status) : [];
  const isRefused = testCase.expect === 'accepted' && status >= 400;
  const freshCase =
    status === 409
      ? freshen({ findReferencedId, nonce: randomInt(2 ** 31), isTaken: true })
      : isRefused
        ? freshen({ findReferencedId, usesExamples: true })
        : undefined;
  return freshCase ? runCase(oracle, target, freshCase) : result;
}

function freshenCase(
  model: Tools['oracle']['model'],
  values: Values,
  testCase: Case,
  freshness: Freshness,
): Case | undefined {
  return changeBody(values, operationOf(model, testCase), testCase, (schema, base) =>
    freshen(values, schema, base, freshness),
  );
}

/** Changes those members of a case's body that come from the default body; undefined if nothing changes. */
export function changeBody(
  values: Values,
  operation: Operation,
  testCase: Case,
  change: (schema: Schema, base: Json) => Json,
): Case | undefined {
  const { request, interpretation } = testCase;
  const [content] = operation.body?.contents ?? [];
  if (content?.kind !== 'json' || !request.body) return undefined;
  const { schema } = content;
  const base = schema.contract.skipped.attempt(() => toJson(baseValue(values, content)), null);
  const changes = findChanges(base, change(schema, base));
  if (changes.length === 0) return undefined;
  // Members are replaced as text, since the case's body may be malformed.
  let text = request.body.toString('latin1');
  for (const { name, before, after } of changes) {
    const member = writeMember(name, before);
    if (after === undefined) text = text.replaceAll(`${member},`, '').replaceAll(`,${member}`, '');
    else
      for (const end of [',', '}'])
        text = text.replaceAll(`${member}${end}`, () => `${writeMember(name, after)}${end}`);
  }
  const body = Buffer.from(text, 'latin1');
  const [before, after] = [request.body, body].map((bytes) => readContent(content, bytes));
  const isValid = (value: Json | Error | undefined): boolean =>
    value !== undefined && !(value instanceof Error) && fits(values, schema, value);
  if (body.equals(request.body) || isValid(before) !== isValid(after)) return undefined;
  const isAboutBody = interpretation?.place === 'body' && after !== undefined && !(after instanceof Error);
  // A different body needs a different Idempotency-Key.
  const keys = operation.parameters.filter(isIdempotencyKey).map(({ name }) => name);
  const newHeaders = new Map(validRequest(values, operation).headers);
  const headers = request.headers.map(
    ([name, value]) => [name, keys.includes(name) ? (newHeaders.get(name) ?? value) : value] as const,
  );
  return {
    ...testCase,
    request: { ...request, headers, body },
    ...(isAboutBody && { interpretation: { ...interpretation, value: after } }),
  };
}

interface MemberChange {
  readonly name: string;
  readonly before: Json;
  readonly after: Json | undefined;
}

function findChanges(before: Json, after: Json): MemberChange[] {
  if (isJsonList(before) && isJsonList(after))
    return before.flatMap((item, index) => findChanges(item, after[index] ?? null));
  if (!isJsonObject(before) || !isJsonObject(after)) return [];
  return Object.entries(before).flatMap(([name, member]) => {
    const newMember = after[name];
    const innerChanges = findChanges(member, newMember ?? null);
    return innerChanges.length > 0 || (newMember !== undefined && isSame(member, newMember))
      ? innerChanges
      : [{ name, before: member, after: newMember }];
  });
}

function writeMember(name: string, member: Json): string {
  return toBody(writeJson({ [name]: member }))
    .toString('latin1')
    .slice(1, -1);
}
