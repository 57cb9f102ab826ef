// Checks that neither readOnly values nor those of a refused request are stored.
import { propertiesOf, requestPropertiesOf, isReadOnly, type Schema } from '../contract/schema';
import { writeContent } from '../contract/serialization';
import { validRequest } from '../generators/valid-request';
import type { CaseResult, Finding } from '../oracle/checks';
import { fits } from '../values/variant';
import { isJsonObject, isSame, objectOrEmpty, Raw, toJson, writeJson, type Json } from '../wire/json';
import { createValidBodies, type ValidBody } from './bodies';
import { update } from './change-instance';
import { sendValid } from './instance-store';
import { idOf } from './check-list';
import { findPageSize, readPages } from './read-pages';
import { judgeableReplyOf, withFindingsAtEnd, type Scenario, type TrackedInstance } from './scenario';
import { createInstance, readInstance } from './steps';

/** Sends another value of each readOnly property in a creation and in changes. */
export async function* sendReadOnly(scenario: Scenario): AsyncGenerator<CaseResult> {
  const { lifecycle, tools } = scenario;
  const { create, read, replace, patch } = lifecycle;
  const tracked = yield* createInstance(scenario);
  if (!tracked || !read) return;
  yield* readInstance(scenario, tracked);
  const shown = tracked.lastShown;
  const readOnly = [...(shown ? propertiesOf(shown.schema) : [])].filter(
    ([name, property]) => isReadOnly(property) && shown?.value[name] !== undefined,
  );
  for (const [name, property] of readOnly) {
    const valueOf = (of: TrackedInstance | undefined): Json | undefined => of?.lastShown?.value[name];
    const findStored = (value: Json | undefined, other: Json): Finding[] =>
      isSame(value, other)
        ? [{ check: 'read-only-stored', text: `${name} is readOnly, but the sent value ${writeJson(other)} is stored` }]
        : [];
    const other = findOther(scenario, property, valueOf(tracked));
    const bodies = createValidBodies(tools.values, create);
    const [body] = other === undefined ? [] : bodies.flatMap((each) => withMember(scenario, each, name, other));
    if (body && other !== undefined) {
      const created = yield* createInstance(scenario, body);
      const reads = created ? await Array.fromAsync(readInstance(scenario, created)) : [];
      // The server may set it itself, later than it creates.
      yield* readInstance(scenario, tracked);
      const isOwn = isSame(valueOf(tracked), other);
      yield* withFindingsAtEnd(scenario, reads, isOwn ? [] : findStored(valueOf(created), other));
    }
    for (const linked of [replace, patch]) {
      if (!linked || linked.operation === create) continue;
      // The server may set it itself with each change.
      const [plain] = createValidBodies(tools.values, linked.operation);
      yield* update(scenario, tracked, linked, plain);
      yield* readInstance(scenario, tracked);
      const third = findOther(scenario, property, valueOf(tracked));
      const [change] = plain && third !== undefined ? withMember(scenario, plain, name, third) : [];
      if (!change || third === undefined) continue;
      yield* update(scenario, tracked, linked, change);
      yield* readInstance(scenario, tracked, ({ value }) => findStored(value[name], third));
    }
  }
}

// The last ones are the least usual: the server hardly sets such a value itself.
function findOther({ tools }: Scenario, property: Schema, before: Json | undefined): Json | undefined {
  const variants = property.contract.skipped.attempt(() => tools.values.validValues(property), []);
  return variants
    .filter(({ value, implementationDefined }) => !implementationDefined && !(value instanceof Raw))
    .map(({ value }) => toJson(value))
    .findLast((value) => !isSame(value, before) && writeJson(value).length < 100);
}

function withMember({ tools }: Scenario, body: ValidBody, name: string, member: Json): ValidBody[] {
  const { content } = body;
  const value = isJsonObject(body.value) ? { ...body.value, [name]: member } : undefined;
  const isDeclared = propertiesOf(content.schema).has(name);
  if (!value || !isDeclared || !fits(tools.values, content.schema, value)) return [];
  // A server may ignore or reject the value (JSON Schema 2020-12 Validation, section 9.4).
  const label = `a body with ${name}, which is readOnly`;
  return [{ content, value, label, body: writeContent(content, value), mayBeRefused: true }];
}

const MAX_REFUSED = 10;

/** Sends invalid bodies with texts that no other body has: a list must not have them later. */
export async function* createInvalid(scenario: Scenario): AsyncGenerator<CaseResult> {
  const { lifecycle, tools, instances } = scenario;
  const { create, resource, list } = lifecycle;
  const values = await instances.valuesWithParentIds(create);
  const listValues = list && (await instances.valuesWithParentIds(list.operation));
  const [base] = createValidBodies(tools.values, create);
  // In a form, what is invalid as JSON, such as null in place of a text, may be a valid text.
  if (!values || !listValues || base?.content.kind !== 'json' || !isJsonObject(base.value)) return;
  const { items, isComplete } = await readPages({ tools, list, values: listValues }, findPageSize(list).maximum);
  if (isComplete) scenario.listedBefore = new Set(items.flatMap((item) => idOf(list, item) ?? []));
  const { content } = base;
  const invalid = [...requestPropertiesOf(content.schema)].flatMap(([name, property]) => {
    const [variant] = content.schema.contract.skipped.attempt(() => tools.values.invalidValues(property), []);
    return variant ? [[name, toJson(variant.value)] as const] : [];
  });
  for (const [name, member] of invalid.slice(0, MAX_REFUSED)) {
    const fresh = instances.freshen(base);
    const value = { ...objectOrEmpty(fresh.value), [name]: member };
    if (fits(tools.values, content.schema, value)) continue;
    const body = { ...fresh, value, body: writeContent(content, value) };
    const request = validRequest(values, create, body);
    const step = { label: `create it with an invalid ${name}`, expect: 'refused' } as const;
    const result = await sendValid(tools, create, request, step);
    yield result;
    if ((judgeableReplyOf(result)?.status ?? 0) >= 400) instances.noteSent(resource, body, undefined);
  }
}
