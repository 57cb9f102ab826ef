import type { Schema } from '../contract/schema';
import type { Level } from '../level';
import { pointerOf, type Variant } from '../values/variant';
import type { Json } from '../wire/json';

/** A body on one side of a rule, and what a handler gets for it where it is right. */
export type SentBody = Pick<Variant, 'pointer' | 'label' | 'keyword' | 'covers' | 'leftOpen'> & {
  readonly body: Buffer;
  readonly meaning?: Json;
  /** Properties that a handler does not get. */
  readonly without?: readonly string[];
  /** Where that is not the one of its class. */
  readonly level?: Level;
};

/** What a body is about. */
export type Rule = Omit<SentBody, 'body' | 'meaning'>;

export function toRule({ pointer, label, keyword, covers, leftOpen }: Rule): Rule {
  return { pointer, label, keyword, covers, leftOpen };
}

export function createRule(schema: Schema, keyword: string, label: string, covers: readonly string[] = []): Rule {
  return { pointer: pointerOf(schema, covers), label, keyword, covers };
}
