// Checks that a server stores neither readOnly values nor the values of a refused request.
import { propertiesOf, requestPropertiesOf, isReadOnly, type Schema } from '../contract/schema';
import { writeContent } from '../contract/serialization';
import { allPropertiesOf } from '../contract/unions';
import { validRequest } from '../generators/valid-request';
import type { CaseResult, Finding } from '../oracle/checks';
import { fits, narrowTo } from '../values/variant';
import { isJsonObject, isSame, objectOrEmpty, Raw, toJson, writeJson, type Json } from '../wire/json';
import { createValidBodies, type ValidBody } from './bodies';
import { updateInstance } from './change-instance';
import { sendValid } from './instance-store';
import { idOf } from './check-list';
import { findPageSize, readPages } from './read-pages';
import { conclusiveReplyOf, addFindingsAtEnd, type Scenario, type TrackedInstance } from './scenario';
import { createInstance, readInstance } from './steps';

/** Creates and changes instances, sending each readOnly property with a value other than the current one. */
export async function* sendReadOnly(scenario: Scenario): AsyncGenerator<CaseResult> {
  const { lifecycle, tools } = scenario;
  const { create, read, replace, patch } = lifecycle;
  const tracked = yield* createInstance(scenario);
  if (!tracked || !read) return;
  yield* readInstance(scenario, tracked);
  const shown = tracked.lastShown;
  const readOnlyProperties = [...(shown ? propertiesOf(shown.schema) : [])].filter(
    ([name, property]) => isReadOnly(property) && shown?.value[name] !== undefined,
  );
  for (const [name, property] of readOnlyProperties) {
    const valueOf = (instance: TrackedInstance | undefined): Json | undefined => instance?.lastShown?.value[name];
    const findStored = (value: Json | undefined, sent: Json): Finding[] =>
      isSame(value, sent)
        ? [{ check: 'read-only-stored', text: `${name} is readOnly, but the sent value ${writeJson(sent)} is stored` }]
        : [];
    const sentValue = findDifferentValue(scenario, property, valueOf(tracked));
    const bodies = createValidBodies(tools.values, create);
    const [body] =
      sentValue === undefined ? [] : bodies.flatMap((candidate) => addMember(scenario, candidate, name, sentValue));
    if (body && sentValue !== undefined) {
      const created = yield* createInstance(scenario, body);
      const reads = created ? await Array.fromAsync(readInstance(scenario, created)) : [];
      // The server may set the value itself, some time after the creation.
      yield* readInstance(scenario, tracked);
      const isSetByServer = isSame(valueOf(tracked), sentValue);
      yield* addFindingsAtEnd(scenario, reads, isSetByServer ? [] : findStored(valueOf(created), sentValue));
    }
    for (const linkedOperation of [replace, patch]) {
      if (!linkedOperation || linkedOperation.operation === create) continue;
      // The server may set the value itself with each change, so an ordinary change comes first.
      const [plainBody] = createValidBodies(tools.values, linkedOperation.operation);
      yield* updateInstance(scenario, tracked, linkedOperation, plainBody);
      yield* readInstance(scenario, tracked);
      const changedValue = findDifferentValue(scenario, property, valueOf(tracked));
      const [changedBody] =
        plainBody && changedValue !== undefined ? addMember(scenario, plainBody, name, changedValue) : [];
      if (!changedBody || changedValue === undefined) continue;
      yield* updateInstance(scenario, tracked, linkedOperation, changedBody);
      yield* readInstance(scenario, tracked, ({ value }) => findStored(value[name], changedValue));
    }
  }
}

// Prefers the last values, which are the least common, so the server is unlikely to set them itself.
function findDifferentValue({ tools }: Scenario, property: Schema, before: Json | undefined): Json | undefined {
  const variants = property.contract.skipped.attempt(() => tools.values.validValues(property), []);
  return variants
    .filter(({ value, implementationDefined }) => !implementationDefined && !(value instanceof Raw))
    .map(({ value }) => toJson(value))
    .findLast((value) => !isSame(value, before) && writeJson(value).length < 100);
}

function addMember({ tools }: Scenario, body: ValidBody, name: string, member: Json): ValidBody[] {
  const { content } = body;
  const value = isJsonObject(body.value) ? { ...body.value, [name]: member } : undefined;
  if (!value || !allPropertiesOf(content.schema).has(name) || !fits(tools.values, content.schema, value)) return [];
  // JSON Schema 2020-12 Validation, section 9.4: a server may ignore or reject the value.
  const label = `a body with ${name}, which is readOnly`;
  return [{ content, value, label, body: writeContent(content, value), mayBeRefused: true }];
}

const MAX_INVALID_BODIES = 10;

/** Sends invalid bodies with unique strings, which show up in the list if they are stored. */
export async function* sendInvalidBodies(scenario: Scenario): AsyncGenerator<CaseResult> {
  const { lifecycle, tools, instances } = scenario;
  const { create, resource, list } = lifecycle;
  const values = await instances.valuesWithParentIds(create);
  const listValues = list && (await instances.valuesWithParentIds(list.operation));
  const [base] = createValidBodies(tools.values, create);
  // An invalid JSON value, such as null for a string, may be valid text in a form.
  if (!values || !listValues || base?.content.kind !== 'json' || !isJsonObject(base.value)) return;
  const { items, isComplete } = await readPages({ tools, list, values: listValues }, findPageSize(list).maximum);
  if (isComplete) scenario.listedBefore = new Set(items.flatMap((item) => idOf(list, item) ?? []));
  const { content } = base;
  const schema = narrowTo(content.schema, base.value, 'request');
  const invalidMembers = [...requestPropertiesOf(schema)].flatMap(([name, property]) => {
    const [variant] = schema.contract.skipped.attempt(() => tools.values.invalidValues(property), []);
    return variant ? [[name, toJson(variant.value)] as const] : [];
  });
  for (const [name, member] of invalidMembers.slice(0, MAX_INVALID_BODIES)) {
    const freshBody = instances.freshen(base);
    const value = { ...objectOrEmpty(freshBody.value), [name]: member };
    if (fits(tools.values, content.schema, value)) continue;
    const body = { ...freshBody, value, body: writeContent(content, value) };
    const request = validRequest(values, create, body);
    const step = { label: `create it with an invalid ${name}`, expect: 'refused' } as const;
    const result = await sendValid(tools, create, request, step);
    yield result;
    if ((conclusiveReplyOf(result)?.status ?? 0) >= 400) instances.recordSent(resource, body, undefined);
  }
}
