import { CLASSES } from '../case';
import { findReply, operationOf, type Model, type Operation } from '../contract/model';
import { propertiesOf, rulesOf, type Schema } from '../contract/schema';
import type { Level } from '../level';
import { bodyOf, contentOf } from '../oracle/body';
import { isAccepted } from '../oracle/status';
import type { CaseResult } from '../run-case';
import { isJsonObject, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { declaredItems, isAlwaysPresent, securityName } from './declared-items';
import { toKey, type Declared, type Item } from './item';
import { seenShapes } from './reply-shapes';

/** Counts what cases produced of a contract. */
export interface Coverage {
  readonly record: (result: CaseResult) => void;
  /** Everything that is declared, and everything that was produced undeclared. */
  readonly list: () => Item[];
}

/** @param level only what cases of this level can produce counts as declared */
export function createCoverage(model: Model, level: Level = 'strict'): Coverage {
  const declared = declaredItems(model, level);
  const produced = new Map<string, number>();
  const count = (item: string): void => void produced.set(item, (produced.get(item) ?? 0) + 1);

  return {
    record: (result) => {
      // Rules and classes count only if declared: a case may cover a side of a rule, or a class, that need not be
      // covered.
      for (const item of producedItems(model, result)) if (!needsDeclaration(item) || declared.has(item)) count(item);
    },
    list: () =>
      [...new Set([...declared.keys(), ...produced.keys()])].map((text) => ({
        ...(declared.get(text) ?? toUndeclared(text)),
        isDeclared: declared.has(text),
        count: produced.get(text) ?? 0,
      })),
  };
}

function needsDeclaration(text: string): boolean {
  return ['rule', 'class'].includes(text.split('\n')[1] ?? '');
}

function toUndeclared(text: string): Declared {
  const [operation = '', kind, name = ''] = text.split('\n');
  return { operation, kind: kind as Item['kind'], name, places: [{ status: undefined, name, isOptional: false }] };
}

// The keys of all items that the replies to a case produced. The replies to the request before it do not count.
function producedItems(model: Model, { case: testCase, replies }: CaseResult): string[] {
  const operation = operationOf(model, testCase);
  const { id } = operation;
  const own = testCase.before ? replies.slice(1) : replies;
  return [
    ...(CLASSES.some((name) => name === testCase.class) ? [toKey(id, 'class', testCase.class)] : []),
    ...own.flatMap((reply) => {
      const isRight = testCase.expect === 'accepted' && isAccepted(operation, reply.status);
      const isRefused = reply.status >= 400 && reply.status < 500 && reply.status !== 401;
      const isProtocol = testCase.expect === 'unknown path' || testCase.expect === 'unknown method';
      const declaredReply = findReply(operation, reply.status);
      const status = declaredReply ? statusKeyOf(operation, declaredReply) : String(reply.status);
      const body = bodyOf(reply);
      const content = declaredReply && contentOf(declaredReply, reply);
      const type = content?.mediaType ?? (valuesOf(reply, 'content-type').join() || 'without a body');
      return [
        ...(testCase.expect === 'answered' || (isProtocol && (reply.status === 404 || reply.status === 405))
          ? []
          : [toKey(id, 'reply', `${status} ${type}`)]),
        ...(isRight && testCase.alternative !== undefined
          ? [toKey(id, 'security', securityName(operation, testCase.alternative))]
          : []),
        ...(isRight ? testCase.covers.map((rule) => toKey(id, 'rule', `${rule}, inside`)) : []),
        ...(isRefused && testCase.expect === 'refused'
          ? testCase.covers.map((rule) => toKey(id, 'rule', `${rule}, outside`))
          : []),
        ...(content?.kind === 'json'
          ? seenProperties(content.schema, body).map((name) => toKey(id, 'reply property', `${status} ${name}`))
          : []),
        // The 404 and 405 for a path are not the declared replies of a range or default.
        ...(declaredReply && !(isProtocol && status !== String(reply.status))
          ? seenShapes(declaredReply, reply, body).map((name) => toKey(id, 'reply shape', name))
          : []),
        ...errorNumbersIn(model, operation, body),
      ];
    }),
  ];
}

function seenProperties(schema: Schema, body: Json | undefined): string[] {
  if (!isJsonObject(body)) return [];
  return [...propertiesOf(schema).keys()]
    .filter((name) => name in body || !isAlwaysPresent(schema, name))
    .map((name) => `${name}, ${name in body ? 'present' : 'absent'}`);
}

/** The error numbers in a body, with their names from the catalogue. */
function errorNumbersIn({ errors }: Model, { replies }: Operation, body: Json | undefined): string[] {
  if (!isJsonObject(body) || errors.length === 0) return [];
  const contents = [...replies.values()].flatMap((reply) => reply.contents);
  const places = contents.flatMap(({ schema }) => [...propertiesOf(schema)]);
  const names = places
    .filter(([, property]) => rulesOf(property, 'x-error-catalogue').length > 0)
    .map(([name]) => name);
  return [...new Set(names)]
    .flatMap((name) => (body[name] === undefined ? [] : [body[name]]))
    .map((number) =>
      toKey('', 'error', `${toText(number)} ${errors.find((entry) => entry.number === number)?.name ?? 'unknown'}`),
    );
}

function statusKeyOf({ replies }: Operation, reply: unknown): string {
  return [...replies].find(([, one]) => one === reply)?.[0] ?? '';
}
