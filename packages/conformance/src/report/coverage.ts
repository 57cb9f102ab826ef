import { CLASSES, levelOf } from '../case';
import { findReply, operationOf, type Content, type Model, type Operation } from '../contract/model';
import { isWriteOnly, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { includes, type Level } from '../level';
import { bodyOf, contentOf } from '../oracle/body';
import { isAccepted } from '../oracle/status';
import type { CaseResult } from '../run-case';
import { isJsonObject, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { declaredRules } from './declared-rules';
import { declaredShapes, seenShapes } from './reply-shapes';

/** Something that the contract declares, or that a test produced, and how often. */
export interface Item {
  readonly operation: string;
  readonly kind: 'class' | 'reply' | 'security' | 'rule' | 'reply property' | 'reply shape' | 'error';
  readonly name: string;
  readonly isDeclared: boolean;
  readonly count: number;
}

/** What has been seen of a contract. */
export interface Coverage {
  readonly record: (result: CaseResult) => void;
  /** All that is declared, and all that was produced without being declared. */
  readonly list: () => Item[];
}

/** The errors of a contract are its own, not an operation's. */
const EVERY = '';

/** @param level what is declared counts as far as cases of this level can bring it about */
export function createCoverage(model: Model, level: Level = 'strict'): Coverage {
  const declared = new Set(model.operations.flatMap((operation) => declaredItems(operation, level)));
  for (const { name, number } of model.errors) declared.add(key(EVERY, 'error', `${toText(number)} ${name}`));
  const produced = new Map<string, number>();
  const count = (item: string): void => void produced.set(item, (produced.get(item) ?? 0) + 1);

  return {
    record: (result) => {
      // A rule may be seen from a side that it need not be seen from, and a class have a case below its own level.
      for (const item of producedItems(model, result)) if (!isBonus(item) || declared.has(item)) count(item);
    },
    list: () =>
      [...new Set([...declared, ...produced.keys()])].map((item) =>
        toItem(item, declared.has(item), produced.get(item) ?? 0),
      ),
  };
}

// What one case shows is a text, so that it can be counted.
function key(operation: string, kind: Item['kind'], name: string): string {
  return [operation, kind, name].join('\n');
}

function isBonus(text: string): boolean {
  return ['rule', 'class'].includes(text.split('\n')[1] ?? '');
}

function toItem(text: string, isDeclared: boolean, count: number): Item {
  const [operation = '', kind, name = ''] = text.split('\n');
  return { operation, kind: kind as Item['kind'], name, isDeclared, count };
}

function declaredItems(operation: Operation, level: Level): string[] {
  const { id, method, replies, alternatives } = operation;
  const isClass = (name: string): boolean => operation.body !== undefined || !['negative', 'media'].includes(name);
  return [
    ...CLASSES.filter((name) => isClass(name) && includes(level, levelOf({ class: name }))).map((name) =>
      key(id, 'class', name),
    ),
    ...[...replies].flatMap(([status, { contents }]) =>
      mediaTypesOf(contents).map((type) => key(id, 'reply', `${status} ${type}`)),
    ),
    ...declaredShapes(operation).map((name) => key(id, 'reply shape', name)),
    ...alternatives.map((_one, index) => key(id, 'security', securityName(operation, index))),
    ...[...declaredRules(operation, level)].flatMap(([rule, { accepted, refused }]) => [
      ...(accepted ? [key(id, 'rule', `${rule}, inside`)] : []),
      ...(refused ? [key(id, 'rule', `${rule}, outside`)] : []),
    ]),
    ...[...replies].flatMap(([status, { contents }]) =>
      contents.flatMap(({ kind, schema }) => {
        if (kind !== 'json' || method === 'HEAD') return [];
        const properties = [...propertiesOf(schema)].filter(([, property]) => !isWriteOnly(property));
        return properties.flatMap(([name]) => [
          key(id, 'reply property', `${status} ${name}, present`),
          ...(isFilled(schema, name) ? [] : [key(id, 'reply property', `${status} ${name}, absent`)]),
        ]);
      }),
    ),
  ];
}

function producedItems(model: Model, { case: one, replies }: CaseResult): string[] {
  const operation = operationOf(model, one);
  const { id } = operation;
  const own = one.before ? replies.slice(1) : replies;
  return [
    ...(CLASSES.some((name) => name === one.class) ? [key(id, 'class', one.class)] : []),
    ...own.flatMap((reply) => {
      const isRight = one.expect === 'accepted' && isAccepted(operation, reply.status);
      const isRefused = reply.status >= 400 && reply.status < 500 && reply.status !== 401;
      const isProtocol = one.expect === 'unknown path' || one.expect === 'unknown method';
      const declaredReply = findReply(operation, reply.status);
      const status = declaredReply ? nameOf(operation, declaredReply) : String(reply.status);
      const body = bodyOf(reply);
      const content = declaredReply && contentOf(declaredReply, reply);
      const type = content?.mediaType ?? (valuesOf(reply, 'content-type').join() || 'without a body');
      return [
        ...(one.expect === 'answered' || (isProtocol && (reply.status === 404 || reply.status === 405))
          ? []
          : [key(id, 'reply', `${status} ${type}`)]),
        ...(isRight && one.alternative !== undefined
          ? [key(id, 'security', securityName(operation, one.alternative))]
          : []),
        ...(isRight ? one.covers.map((rule) => key(id, 'rule', `${rule}, inside`)) : []),
        ...(isRefused && one.expect === 'refused' ? one.covers.map((rule) => key(id, 'rule', `${rule}, outside`)) : []),
        ...(content?.kind === 'json'
          ? seenProperties(content.schema, body).map((name) => key(id, 'reply property', `${status} ${name}`))
          : []),
        // HTTP's own headers of 404 and 405, where the contract declares them for something else.
        ...(declaredReply && !(isProtocol && status !== String(reply.status))
          ? seenShapes(declaredReply, reply, body).map((name) => key(id, 'reply shape', name))
          : []),
        ...numbersOf(model, operation, body),
      ];
    }),
  ];
}

function mediaTypesOf(contents: readonly Content[]): string[] {
  return contents.length > 0 ? contents.map(({ mediaType }) => mediaType) : ['without a body'];
}

// One with a default may have been filled in when it was sent.
function isFilled(schema: Schema, name: string): boolean {
  const property = propertiesOf(schema).get(name);
  return requiredOf(schema).has(name) || (property !== undefined && rulesOf(property, 'default').length > 0);
}

function seenProperties(schema: Schema, body: Json | undefined): string[] {
  if (!isJsonObject(body)) return [];
  return [...propertiesOf(schema).keys()]
    .filter((name) => name in body || !isFilled(schema, name))
    .map((name) => `${name}, ${name in body ? 'present' : 'absent'}`);
}

/** The error numbers in a body, by the names that the catalogue has for them. */
function numbersOf({ errors }: Model, { replies }: Operation, body: Json | undefined): string[] {
  if (!isJsonObject(body) || errors.length === 0) return [];
  const contents = [...replies.values()].flatMap((reply) => reply.contents);
  const places = contents.flatMap(({ schema }) => [...propertiesOf(schema)]);
  const names = places
    .filter(([, property]) => rulesOf(property, 'x-error-catalogue').length > 0)
    .map(([name]) => name);
  return [...new Set(names)]
    .flatMap((name) => (body[name] === undefined ? [] : [body[name]]))
    .map((number) =>
      key(EVERY, 'error', `${toText(number)} ${errors.find((entry) => entry.number === number)?.name ?? 'unknown'}`),
    );
}

function nameOf({ replies }: Operation, reply: unknown): string {
  return [...replies].find(([, one]) => one === reply)?.[0] ?? '';
}

function securityName({ alternatives }: Operation, index: number): string {
  const names = alternatives[index]?.map(({ name }) => name) ?? [];
  return names.length > 0 ? names.join(' and ') : 'public';
}
