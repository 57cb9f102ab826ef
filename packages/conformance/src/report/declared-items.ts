// Lists what a contract declares, as items of coverage.
import { CLASSES, levelOf } from '../case';
import type { Content, Model, Operation } from '../contract/model';
import { isWriteOnly, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { includes, type Level } from '../level';
import { toText } from '../wire/json';
import { declaredRules } from './declared-rules';
import { toItemKey, type Declared, type Place } from './item';
import { declaredShapes } from './reply-shapes';

/** Lists the items of coverage, by key: every part of a contract that cases of a level can produce. */
export function declaredItems({ operations, errors }: Model, level: Level): ReadonlyMap<string, Declared> {
  const items = new Map<string, Declared>();
  const add: AddItem = (operation, kind, name, place = {}) => {
    const key = toItemKey({ operation, kind, name });
    // Several statuses may declare one item, then it has several places. Items of requests have no status.
    const places = [...(items.get(key)?.places ?? []), { status: undefined, name, isOptional: false, ...place }];
    items.set(key, { operation, kind, name, places });
  };
  for (const operation of operations) addOperation(add, operation, level);
  for (const { name, number } of errors) add('', 'error', `${toText(number)} ${name}`);
  return items;
}

type AddItem = (operation: string, kind: Declared['kind'], name: string, place?: Partial<Place>) => void;

const BODY_CLASSES: ReadonlySet<string> = new Set(['negative', 'media']);

// A rule has up to two items: `inside` for requests that keep it, `outside` for requests that break it.
function addOperation(add: AddItem, operation: Operation, level: Level): void {
  const { id, replies, body, alternatives } = operation;
  for (const name of CLASSES) {
    const isPossible = body !== undefined || !BODY_CLASSES.has(name);
    if (isPossible && includes(level, levelOf({ class: name }))) add(id, 'class', name);
  }
  for (const [status, { contents }] of replies) {
    for (const name of mediaTypesOf(contents)) add(id, 'reply', `${status} ${name}`, { status, name });
  }
  for (const { pointer, ...place } of declaredShapes(operation)) {
    add(id, 'reply shape', `${pointer} ${place.label}`, place);
  }
  for (const index of alternatives.keys()) add(id, 'security', securityName(operation, index));
  for (const [rule, { accepted, refused }] of declaredRules(operation, level)) {
    if (accepted) add(id, 'rule', `${rule}, inside`);
    if (refused) add(id, 'rule', `${rule}, outside`);
  }
  addReplyProperties(add, operation);
}

/**
 * Adds the properties of JSON replies as items such as `200 name, present`, and `200 name, absent` for those that are
 * neither required nor have a default. If a property is not required, its items are marked as optional: no case has to
 * produce them in error replies.
 */
function addReplyProperties(add: AddItem, { id, method, replies }: Operation): void {
  // A reply to HEAD has no body.
  if (method === 'HEAD') return;
  for (const [status, { contents }] of replies) {
    for (const { schema, mediaType } of contents.filter(({ kind }) => kind === 'json')) {
      for (const [name, property] of propertiesOf(schema)) {
        if (isWriteOnly(property)) continue;
        const isOptional = !requiredOf(schema).has(name);
        // A server may fill in a default in every reply.
        const states = mayAlwaysBePresent(schema, name) ? ['present'] : ['present', 'absent'];
        for (const state of states) {
          const label = `${name}, ${state}`;
          // Media types of one status share the key of the item. What is listed as missing names the media type.
          add(id, 'reply property', `${status} ${label}`, { status, name: `${mediaType} ${label}`, isOptional });
        }
      }
    }
  }
}

function mediaTypesOf(contents: readonly Content[]): string[] {
  return contents.length > 0 ? contents.map(({ mediaType }) => mediaType) : ['without a body'];
}

/**
 * Whether a server may show a property in every reply: it is required, or it has a default, which the server may fill in when
 * the property was not sent. Then no case has to produce a reply without it.
 */
export function mayAlwaysBePresent(schema: Schema, name: string): boolean {
  const property = propertiesOf(schema).get(name);
  const hasDefault = property !== undefined && rulesOf(property, 'default').length > 0;
  return requiredOf(schema).has(name) || hasDefault;
}

/** Such as `bearerAuth and apiKey` (OpenAPI, Security Requirement Object), or `public` if no credentials are needed. */
export function securityName({ alternatives }: Operation, index: number): string {
  const schemes = alternatives[index]?.map(({ name }) => name) ?? [];
  return schemes.length > 0 ? schemes.join(' and ') : 'public';
}
