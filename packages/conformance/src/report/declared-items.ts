import { CLASSES, levelOf } from '../case';
import type { Content, Model, Operation } from '../contract/model';
import { isWriteOnly, propertiesOf, requiredOf, rulesOf, type Schema } from '../contract/schema';
import { includes, type Level } from '../level';
import { toText } from '../wire/json';
import { declaredRules } from './declared-rules';
import { toKey, type Declared, type Place } from './item';
import { declaredShapes } from './reply-shapes';

/** Lists everything that a contract declares and cases of a level can produce, by key. */
export function declaredItems({ operations, errors }: Model, level: Level): ReadonlyMap<string, Declared> {
  const items = new Map<string, Declared>();
  const add = (operation: string, kind: Declared['kind'], name: string, place: Partial<Place> = {}): void => {
    const key = toKey(operation, kind, name);
    const places = [...(items.get(key)?.places ?? []), { status: undefined, name, isOptional: false, ...place }];
    items.set(key, { operation, kind, name, places });
  };
  for (const operation of operations) addOperation(add, operation, level);
  for (const { name, number } of errors) add('', 'error', `${toText(number)} ${name}`);
  return items;
}

type Add = (operation: string, kind: Declared['kind'], name: string, place?: Partial<Place>) => void;

function addOperation(add: Add, operation: Operation, level: Level): void {
  const { id, method, replies, alternatives } = operation;
  const isClass = (name: string): boolean => operation.body !== undefined || !['negative', 'media'].includes(name);
  for (const name of CLASSES) if (isClass(name) && includes(level, levelOf({ class: name }))) add(id, 'class', name);
  for (const [status, { contents }] of replies) {
    for (const name of mediaTypesOf(contents)) add(id, 'reply', `${status} ${name}`, { status, name });
  }
  for (const { pointer, ...place } of declaredShapes(operation)) {
    add(id, 'reply shape', `${pointer} ${place.label}`, place);
  }
  alternatives.forEach((_one, index) => {
    add(id, 'security', securityName(operation, index));
  });
  for (const [rule, { accepted, refused }] of declaredRules(operation, level)) {
    if (accepted) add(id, 'rule', `${rule}, inside`);
    if (refused) add(id, 'rule', `${rule}, outside`);
  }
  for (const [status, { contents }] of replies) {
    for (const { kind, schema, mediaType } of contents) {
      if (kind !== 'json' || method === 'HEAD') continue;
      for (const [name, property] of propertiesOf(schema)) {
        if (isWriteOnly(property)) continue;
        const isOptional = !requiredOf(schema).has(name);
        for (const side of isAlwaysPresent(schema, name) ? ['present'] : ['present', 'absent']) {
          const text = `${name}, ${side}`;
          add(id, 'reply property', `${status} ${text}`, { status, name: `${mediaType} ${text}`, isOptional });
        }
      }
    }
  }
}

function mediaTypesOf(contents: readonly Content[]): string[] {
  return contents.length > 0 ? contents.map(({ mediaType }) => mediaType) : ['without a body'];
}

/** Whether a property is always in replies: it is required, or has a default that the server may fill in. */
export function isAlwaysPresent(schema: Schema, name: string): boolean {
  const property = propertiesOf(schema).get(name);
  return requiredOf(schema).has(name) || (property !== undefined && rulesOf(property, 'default').length > 0);
}

export function securityName({ alternatives }: Operation, index: number): string {
  const names = alternatives[index]?.map(({ name }) => name) ?? [];
  return names.length > 0 ? names.join(' and ') : 'public';
}
