// Makes the bodies of requests that create or change something.
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

/** A valid body of an operation. */
export interface Body {
  readonly label: string;
  readonly content: Content;
  readonly bytes: Buffer;
  /** Its JSON value; undefined for other media types. */
  readonly value: Json | undefined;
}

const SAMPLES = 40;
// A valid body may still be refused, for example when its name is taken: then try others.
const MAX_BODIES = 4;
// Long bodies show nothing that short ones do not.
const MAX_LENGTH = 2_000;

/** Makes valid bodies: first the default one, then one with required properties only, then random ones. */
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
  const requiredOnly = isJsonObject(plain)
    ? [Object.fromEntries(Object.entries(plain).filter(([name]) => required.has(name)))]
    : [];
  const sampled = fc
    .sample(arbitraryOf(schema), { seed: 1, numRuns: SAMPLES })
    .map((value) => keepNamed(schema, toJson(value)));
  // Each body has its own mark, since names may have to be unique.
  return [...requiredOnly, ...sampled]
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
 * Bodies to create a resource with, starting at the given choice; bodies whose id is already used come last.
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

/** Bodies with a single member of the given ones, where that is valid: for PATCH. */
export function singleMemberBodies(values: Values, bodies: readonly Body[]): Body[] {
  return bodies.flatMap(({ content, value }) => {
    const members = isJsonObject(value) ? Object.entries(value) : [];
    return members
      .map(([name, member]) => ({ name, part: { [name]: member } }))
      .filter(({ part }) => fits(values, content.schema, part))
      .map(({ name, part }) => ({ label: `${name} alone`, content, bytes: writeContent(content, part), value: part }));
  });
}
