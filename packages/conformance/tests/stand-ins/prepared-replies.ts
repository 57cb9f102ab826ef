import type { Content, Operation, Reply, ReplyHeader } from '../../src/contract/model';
import {
  allBranchesOf,
  isReadOnly,
  isWriteOnly,
  keepNamed,
  propertiesOf,
  rulesOf,
  type Schema,
} from '../../src/contract/schema';
import { baseValue } from '../../src/generators/body-values';
import { fits, type Values } from '../../src/values/variant';
import { isJsonList, isJsonObject, toJson, toText, writeJson, type Json, type JsonObject } from '../../src/wire/json';
import { isOwnHeader } from '../../../server/src/contract/operation/reply-headers';
import { writeParameter } from '../../src/contract/serialization';
import { toKit } from './to-kit';

/** A reply that a contract declares, with values as a handler of the kit returns them. */
export interface PreparedReply {
  readonly status: number;
  /** Undefined where there is no body. */
  readonly content: Content | undefined;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Every success that an operation declares: each media type, each header there and not, each type of each part. */
export function prepareSuccesses(values: Values, { replies }: Operation): PreparedReply[] {
  const listed = [...replies].filter(([status]) => status.startsWith('2'));
  const all = listed.length > 0 ? listed : [...replies].filter(([status]) => status === 'default');
  // Of a range, and of the default, a status that is not listed.
  const free = ['200', '201', '202', '299'].find((status) => !replies.has(status)) ?? '';
  return all.flatMap(([status, reply]) => prepare(values, /^\d+$/.test(status) ? status : free, reply));
}

/** What an operation may reply with depending on what went before, by status. */
export function prepareStates(values: Values, { replies, parameters, method }: Operation): PreparedReply[] {
  const hasPath = parameters.some((parameter) => parameter.in === 'path');
  const states = [...(hasPath ? ['404', '410'] : []), ...(method === 'GET' ? [] : ['409', '412'])];
  return [...replies].flatMap(([status, reply]) =>
    states.includes(status) ? prepare(values, status, reply).slice(0, 1) : [],
  );
}

function prepare(values: Values, status: string, reply: Reply): PreparedReply[] {
  const bodies = reply.contents.flatMap((content) =>
    bodiesOf(values, content, status).map((body) => ({ content, body: toBody(content, body) })),
  );
  const headers = headersOf(values, reply);
  const all = bodies.length > 0 ? bodies : [{ content: undefined, body: undefined }];
  return Array.from({ length: Math.max(all.length, headers.length) }, (_unused, index) => {
    const { content, body } = all[index % all.length] ?? { content: undefined, body: undefined };
    const type = reply.contents.length > 1 && content ? { 'Content-Type': content.mediaType } : {};
    return { status: Number(status), content, body, headers: { ...headers[index % headers.length], ...type } };
  });
}

function toBody({ kind, schema }: Content, value: Json): unknown {
  return kind === 'bytes' ? Buffer.from(toText(value), 'latin1') : toKit(schema, value);
}

// The first of those that look alike.
function bodiesOf(values: Values, content: Content, status: string): Json[] {
  const { kind, schema } = content;
  const base = toJson(baseValue(values, content));
  if (kind !== 'json') return [base];
  const declared = values.goodValues(schema).filter(({ keyword }) => keyword !== 'extra');
  const good = declared.map(({ value }) => keepNamed(schema, toJson(value)));
  const fitting = [base, ...good]
    .map((value) => numbered(schema, value, status))
    .filter((value) => fits(values, schema, value))
    .map((value) => asReply(values, schema, value));
  return [...Map.groupBy(fitting, shapeOf).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}

// Values are made for requests: a reply has what is readOnly, and nothing that is writeOnly.
function asReply(values: Values, schema: Schema, value: Json): Json {
  if (!isJsonObject(value)) return value;
  const properties = [...new Map(allBranchesOf(schema).flatMap((branch) => [...propertiesOf(branch)]))];
  const readOnly = properties.filter(([, property]) => isReadOnly(property));
  const writeOnly = properties.filter(([, property]) => isWriteOnly(property)).map(([name]) => name);
  const sent = Object.entries(value).filter(([name]) => !writeOnly.includes(name));
  const own = readOnly.map(([name, property]) => [name, toJson(values.baseOf(property))] as const);
  return { ...Object.fromEntries(sent), ...Object.fromEntries(own) };
}

function shapeOf(value: Json): string {
  if (isJsonList(value)) return `[${value.slice(0, 1).map(shapeOf).join()}]`;
  if (!isJsonObject(value)) return value === null ? 'null' : typeof value;
  return writeJson(Object.entries(value).map(([name, member]) => `${name} ${shapeOf(member)}`));
}

// The number of an error is one of its status.
function numbered(schema: Schema, value: Json, status: string): Json {
  if (!isJsonObject(value)) return value;
  const numbers = [...propertiesOf(schema)].flatMap(([name, property]) => {
    const entries = rulesOf(property, 'x-error-catalogue').flatMap((rule) =>
      Object.values(rule.value as Readonly<Record<string, JsonObject>>),
    );
    const own = entries.filter((entry) => entry['status'] === BigInt(status));
    return own.slice(-1).map((entry) => [name, entry['number'] ?? null] as const);
  });
  return { ...value, ...Object.fromEntries(numbers) };
}

// All headers that a handler may send, and only the required ones.
function headersOf(values: Values, { headers }: Reply): Readonly<Record<string, unknown>>[] {
  const all = [...headers].filter(([name]) => !isOwnHeader(name));
  const needed = all.filter(([, { isRequired }]) => isRequired);
  return [all, needed].map((some) => Object.fromEntries(some.map(([, one]) => [one.name, headerOf(values, one)])));
}

function headerOf(values: Values, header: ReplyHeader): unknown {
  const { schema } = header;
  const written = (value: Json): string => writeParameter({ ...header, in: 'header' }, value).header?.[1] ?? '';
  const good = [values.baseOf(schema), ...values.goodValues(schema).map(({ value }) => value)].map(toJson);
  const fitting = good.find((value) => /^[!-~](?:[ -~]*[!-~])?$/.test(written(value)));
  if (fitting === undefined) throw new Error(`${header.pointer}: no value was found for a header`);
  return toKit(schema, fitting);
}
