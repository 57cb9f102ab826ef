// The bodies of requests that create or change something.
import * as fc from 'fast-check';
import type { Content, Operation } from '../contract/model';
import { keepNamed, sentRequired } from '../contract/schema';
import { baseBody, baseValue } from '../generators/body-values';
import { withMark } from '../generators/with-mark';
import { arbitraryOf } from '../random/arbitrary';
import { obstacleWithin } from '../values/obstacle';
import { fits, type Values } from '../values/variant';
import { writeContent } from '../wire/content';
import { isJsonObject, toJson, toText, writeJson, type Json } from '../wire/json';
import { chosenIds } from './find-id';
import type { Resource } from './resources';

/** A right body of an operation. */
export interface Body {
  readonly label: string;
  readonly content: Content;
  readonly bytes: Buffer;
  /** What it means; undefined where that is not JSON. */
  readonly value: Json | undefined;
}

const SAMPLES = 40;
// Where a body is refused that is right, such as one with a name that is taken, others may not be.
const MAX_BODIES = 4;
// One that is long shows nothing that a short one does not.
const MAX_LENGTH = 2_000;

/** Right bodies of an operation, the plain one first, then one with no optional property. */
export function rightBodies(values: Values, { body }: Operation): Body[] {
  const [content] = body?.contents ?? [];
  if (!content) return [];
  const { untried } = content.schema.contract;
  return untried.attempt(() => [createPlainBody(values, content), ...otherBodies(values, content)], []);
}

function createPlainBody(values: Values, content: Content): Body {
  const value = content.kind === 'json' ? toJson(baseValue(values, content)) : undefined;
  return { label: 'the plain body', content, bytes: baseBody(values, content), value };
}

function otherBodies(values: Values, content: Content): Body[] {
  const { kind, schema } = content;
  if (kind !== 'json' || obstacleWithin(values.given, schema)) return [];
  const required = sentRequired(schema);
  const plain = toJson(baseValue(values, content));
  const fewest = isJsonObject(plain)
    ? [Object.fromEntries(Object.entries(plain).filter(([name]) => required.has(name)))]
    : [];
  const sampled = fc
    .sample(arbitraryOf(schema), { seed: 1, numRuns: SAMPLES })
    .map((value) => keepNamed(schema, toJson(value)));
  // No two marks are the same, where what is there may have to have a name of its own.
  return [...fewest, ...sampled]
    .filter((value) => writeJson(value).length < MAX_LENGTH && fits(values, schema, value))
    .map((value, index) => withMark({ ...values, mark: `${values.mark}-${String(index + 1)}` }, schema, value))
    .map((value, index) => ({
      label: `another body, ${String(index + 1)}`,
      content,
      bytes: writeContent(content, value),
      value,
    }));
}

/**
 * The bodies with which one of a resource may be made: from the choice on, and those last with an id that one has.
 *
 * @param used `/books/{isbn} 9780140449136` for each id that was chosen
 */
export function bodiesToTry(
  values: Values,
  { create, path, ids, isChosen }: Resource,
  { choice, used }: { readonly choice: number; readonly used: ReadonlySet<string> },
): readonly (Body | undefined)[] {
  if (!create?.body) return [undefined];
  const bodies = rightBodies(values, create);
  const first = choice % Math.max(1, bodies.length);
  const rotated = [...bodies.slice(first), ...bodies.slice(0, first)];
  const isUsed = ({ value }: Body): boolean =>
    isChosen && chosenIds(ids, value).some((id) => used.has(`${path} ${toText(id)}`));
  return rotated.toSorted((one, other) => Number(isUsed(one)) - Number(isUsed(other))).slice(0, MAX_BODIES);
}

/** Bodies that have one member of others each, as far as that is right. */
export function singleMemberBodies(values: Values, bodies: readonly Body[]): Body[] {
  return bodies.flatMap(({ content, value }) => {
    const members = isJsonObject(value) ? Object.entries(value) : [];
    return members
      .map(([name, member]) => ({ name, part: { [name]: member } }))
      .filter(({ part }) => fits(values, content.schema, part))
      .map(({ name, part }) => ({ label: `${name} alone`, content, bytes: writeContent(content, part), value: part }));
  });
}
