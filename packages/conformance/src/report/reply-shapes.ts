import type { Operation, Reply } from '../contract/model';
import {
  choiceOf,
  isWriteOnly,
  propertiesOf,
  requiredOf,
  rulesOf,
  typesOf,
  type Schema,
  type TypeName,
} from '../contract/schema';
import { contentOf } from '../oracle/body';
import { readHeader } from '../oracle/header-value';
import { INFRASTRUCTURE } from '../oracle/headers';
import { isJsonList, isJsonObject, type Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';

/** A declared form of a reply's part: a header that is present or absent, or a part of one type. */
export interface Shape {
  /** Of the reply, or of its content. */
  readonly pointer: string;
  readonly label: string;
  readonly status: string;
  /** The name without the status. */
  readonly name: string;
  readonly isOptional: boolean;
}

/**
 * Lists the declared shapes of replies: headers present and absent, and the types of all parts. Statuses that share a
 * reply share its shapes.
 */
export function declaredShapes({ method, replies }: Operation): Shape[] {
  return [...replies].flatMap(([status, { pointer, contents, headers }]) => [
    ...contents
      .filter(({ kind }) => kind === 'json' && method !== 'HEAD')
      .flatMap(({ schema, pointer: at, mediaType }) => {
        const parts = [...propertiesOf(schema)].filter(([, property]) => !isWriteOnly(property));
        const toShapes = (part: Schema, name: string, isOptional: boolean): Shape[] =>
          declaredTypes(part, name).map((label) => ({
            ...{ pointer: at, label, status, name: `${mediaType} ${label}`, isOptional },
          }));
        return [
          ...toShapes(schema, 'body', false),
          ...parts.flatMap(([name, property]) => toShapes(property, name, !requiredOf(schema).has(name))),
        ];
      }),
    ...[...headers].flatMap(([name, header]) =>
      [
        `${name}, present`,
        ...(header.isRequired ? [] : [`${name}, absent`]),
        ...declaredTypes(header.schema, name),
      ].map((label) => ({ pointer, label, status, name: `header ${label}`, isOptional: !header.isRequired })),
    ),
  ]);
}

/** The shapes of one reply, as far as they are declared; and its undeclared headers. */
export function seenShapes(declared: Reply, reply: WireReply, body?: Json): string[] {
  const { pointer, headers } = declared;
  const content = contentOf(declared, reply);
  const { schema, pointer: at = pointer } = content ?? {};
  const properties = schema && isJsonObject(body) ? [...propertiesOf(schema)] : [];
  return [
    ...(schema && body !== undefined ? seenTypes(schema, body, `${at} body`) : []),
    ...properties.flatMap(([name, property]) =>
      isJsonObject(body) && body[name] !== undefined ? seenTypes(property, body[name], `${at} ${name}`) : [],
    ),
    ...reply.headers
      .filter(([name]) => !INFRASTRUCTURE.has(name) && !headers.has(name))
      .map(([name]) => `${pointer} ${name}, present`),
    ...[...headers].flatMap(([name, header]) => {
      const [value] = valuesOf(reply, name);
      if (value === undefined) return header.isRequired ? [] : [`${pointer} ${name}, absent`];
      const json = readHeader(header, value);
      const types = json === undefined ? [] : seenTypes(header.schema, json, `${pointer} ${name}`);
      return [`${pointer} ${name}, present`, ...types];
    }),
  ];
}

function declaredTypes(schema: Schema, place: string): string[] {
  return [...allTypesOf(schema)].map((type) => `${place}, of type ${type}`);
}

// The oracle reports values of undeclared types.
function seenTypes(schema: Schema, value: Json, place: string): string[] {
  const type = typeOf(value);
  const types = allTypesOf(schema);
  const known = type === 'integer' && !types.has('integer') ? 'number' : type;
  return types.has(known) ? [`${place}, of type ${known}`] : [];
}

function allTypesOf(schema: Schema): ReadonlySet<TypeName> {
  const listed = rulesOf(schema, 'enum').flatMap(({ value }) => (isJsonList(value) ? value : []));
  const single = rulesOf(schema, 'const').map(({ value }) => value);
  if (listed.length + single.length > 0) return new Set([...listed, ...single].map(typeOf));
  const choice = choiceOf(schema);
  return choice ? new Set(choice.branches.flatMap((branch) => [...allTypesOf(branch)])) : typesOf(schema);
}

function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'integer';
  if (isJsonList(value)) return 'array';
  return typeof value as 'boolean' | 'number' | 'string' | 'object';
}
