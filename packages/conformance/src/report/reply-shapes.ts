import type { Content, Operation, Reply } from '../contract/model';
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
 * Lists the shapes of replies: of each header and of each property of a JSON body, such as `etag, absent` and
 * `id, of type string`. Statuses that refer to one reply share its shapes, since the pointer is that of the reply.
 */
export function declaredShapes({ method, replies }: Operation): Shape[] {
  // A reply to HEAD has no body.
  const hasBody = method !== 'HEAD';
  return [...replies].flatMap(([status, { pointer, contents, headers }]) => [
    ...contents
      .filter(({ kind }) => kind === 'json' && hasBody)
      .flatMap((content) => declaredBodyShapes(content).map((shape) => ({ ...shape, status }))),
    ...[...headers].flatMap(([name, header]) =>
      [
        `${name}, present`,
        ...(header.isRequired ? [] : [`${name}, absent`]),
        ...declaredTypes(header.schema, name),
      ].map((label) => ({ pointer, label, status, name: `header ${label}`, isOptional: !header.isRequired })),
    ),
  ]);
}

// `body, of type object` for the whole body, `id, of type string` for a property.
function declaredBodyShapes({ schema, pointer, mediaType }: Content): Omit<Shape, 'status'>[] {
  const toShapes = (part: Schema, partName: string, isOptional: boolean): Omit<Shape, 'status'>[] =>
    declaredTypes(part, partName).map((label) => ({ pointer, label, name: `${mediaType} ${label}`, isOptional }));
  const properties = [...propertiesOf(schema)].filter(([, property]) => !isWriteOnly(property));
  return [
    ...toShapes(schema, 'body', false),
    ...properties.flatMap(([name, property]) => toShapes(property, name, !requiredOf(schema).has(name))),
  ];
}

/**
 * The shapes that one reply has, as `<JSON pointer> <label>`: the forms of its parts, such as `etag, present` or `id, of
 * type string`. Coverage compares them with the declared shapes; an undeclared header is reported as a gap.
 *
 * @param body the parsed body; undefined without one
 */
export function producedShapes(declared: Reply, reply: WireReply, body?: Json): string[] {
  const { pointer, headers } = declared;
  const content = contentOf(declared, reply);
  return [
    ...(content && body !== undefined ? producedBodyShapes(content, body) : []),
    // Contracts do not declare headers of the connection, of every message and of proxies.
    ...reply.headers
      .filter(([name]) => !INFRASTRUCTURE.has(name) && !headers.has(name))
      .map(([name]) => `${pointer} ${name}, present`),
    ...[...headers].flatMap(([name, header]) => {
      const [text] = valuesOf(reply, name);
      // Only an optional header has the shape `absent`; the oracle reports a required one that is missing.
      if (text === undefined) return header.isRequired ? [] : [`${pointer} ${name}, absent`];
      // Undefined when the text is no value of the header's schema, which the oracle reports.
      const value = readHeader(header, text);
      const types = value === undefined ? [] : producedType(header.schema, value, `${pointer} ${name}`);
      return [`${pointer} ${name}, present`, ...types];
    }),
  ];
}

function producedBodyShapes({ schema, pointer }: Content, body: Json): string[] {
  const properties = isJsonObject(body) ? [...propertiesOf(schema)] : [];
  return [
    ...producedType(schema, body, `${pointer} body`),
    ...properties.flatMap(([name, property]) =>
      isJsonObject(body) && body[name] !== undefined ? producedType(property, body[name], `${pointer} ${name}`) : [],
    ),
  ];
}

function declaredTypes(schema: Schema, partName: string): string[] {
  return [...allTypesOf(schema)].map((type) => `${partName}, of type ${type}`);
}

// Empty if the type is undeclared: that is a finding of the oracle (which judges replies), not a gap in coverage.
function producedType(schema: Schema, value: Json, part: string): string[] {
  const allowedTypes = allTypesOf(schema);
  const ownType = typeOf(value);
  // An integer is a valid `number`, too.
  const type = ownType === 'integer' && !allowedTypes.has('integer') ? 'number' : ownType;
  return allowedTypes.has(type) ? [`${part}, of type ${type}`] : [];
}

// `enum` and `const` count before the branches of `oneOf` or `anyOf`, and these before `type`.
function allTypesOf(schema: Schema): ReadonlySet<TypeName> {
  const enumerated = rulesOf(schema, 'enum').flatMap(({ value }) => (isJsonList(value) ? value : []));
  const constants = rulesOf(schema, 'const').map(({ value }) => value);
  const onlyValues = [...enumerated, ...constants];
  if (onlyValues.length > 0) return new Set(onlyValues.map(typeOf));
  const choice = choiceOf(schema);
  return choice ? new Set(choice.branches.flatMap((branch) => [...allTypesOf(branch)])) : typesOf(schema);
}

// The parser reads integers as bigint, and only other numbers as number.
function typeOf(value: Json): TypeName {
  if (value === null) return 'null';
  if (typeof value === 'bigint') return 'integer';
  if (isJsonList(value)) return 'array';
  return typeof value as 'boolean' | 'number' | 'string' | 'object';
}
