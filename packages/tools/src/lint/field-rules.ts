// What Redocly lacks: a rule for fields that OpenAPI does not allow together or that have no effect, and types of OpenAPI 3.2.
import type { LocationObject, Oas3Visitor, Plugin, UserContext } from '@redocly/openapi-core';
import type { JsonObject } from '../diagnostics/diagnostic';

type Pairs = readonly (readonly [first: string, second: string])[];

const EXAMPLES: Pairs = [['example', 'examples']];
// OpenAPI 3.2.
const BY_POSITION: Pairs = [
  ['encoding', 'prefixEncoding'],
  ['encoding', 'itemEncoding'],
];
const SERIALIZED: Pairs = [...EXAMPLES, ['content', 'schema'], ['content', 'style'], ['content', 'explode']];

/** Pairs of fields of which an object may have only one, by Redocly's name for the type of the object. */
const EXCLUSIVE: Readonly<Record<string, Pairs>> = {
  Parameter: SERIALIZED,
  Header: SERIALIZED,
  MediaType: [...EXAMPLES, ...BY_POSITION],
  Encoding: BY_POSITION,
  License: [['identifier', 'url']],
  Link: [['operationId', 'operationRef']],
  // OpenAPI 3.2.
  Xml: [
    ['nodeType', 'attribute'],
    ['nodeType', 'wrapped'],
  ],
};

type Types = Parameters<NonNullable<NonNullable<Plugin['typeExtension']>['oas3']>>[0];

// Redocly 2.64 throws an error for the scopes of a device flow, takes a media type for a map of some, does not know the
// style cookie and encodings in encodings, and wants a description of each response.
function correctTypes(types: Types): Types {
  const { DeviceAuthorization, Encoding, MediaType, NamedMediaTypes, Parameter, Response } = types;
  const { encoding, prefixEncoding, itemEncoding } = { ...MediaType?.properties };
  const scopes = { type: 'object', additionalProperties: { type: 'string' } };
  const style = { enum: 'form simple label matrix spaceDelimited pipeDelimited deepObject cookie'.split(' ') };
  return {
    ...types,
    DeviceAuthorization: {
      ...DeviceAuthorization,
      properties: { ...DeviceAuthorization?.properties, scopes },
    },
    Encoding: { ...Encoding, properties: { ...Encoding?.properties, encoding, prefixEncoding, itemEncoding } },
    NamedMediaTypes: { ...NamedMediaTypes, additionalProperties: 'MediaType' },
    Parameter: { ...Parameter, properties: { ...Parameter?.properties, style } },
    Response: { ...Response, required: [] },
  } as Types;
}

// So that a schema of items counts as used before 3.2.
function withItemSchema({ MediaType, ...types }: Types): Types {
  return {
    ...types,
    MediaType: { ...MediaType, properties: { ...MediaType?.properties, 'x-oai-itemSchema': 'Schema' } },
  };
}

/** The plugin with the rule `openapi/fields`. */
export const OPENAPI: Plugin = {
  id: 'openapi',
  typeExtension: { oas3: (types, version) => (version === 'oas3_2' ? correctTypes(types) : withItemSchema(types)) },
  rules: {
    oas3: {
      'openapi/fields': () =>
        Object.fromEntries(
          Object.entries(EXCLUSIVE).map(([type, pairs]) => [type, createCheck(type, pairs)]),
        ) as Oas3Visitor,
    },
  },
};

function createCheck(type: string, pairs: Pairs): (node: JsonObject, context: UserContext) => void {
  return (node, context) => {
    const report = (field: string, message: string): void => {
      context.report({ message, location: context.location.child(field).key() as LocationObject });
    };
    for (const [first, second] of pairs) {
      if (Object.hasOwn(node, first) && Object.hasOwn(node, second))
        report(second, `${first} and ${second} cannot be used together; remove one of them`);
    }
    for (const [field, message] of findWrongFields(type, node)) report(field, message);
    const hasAllowReserved = Object.hasOwn(node, 'allowReserved');
    if (hasAllowReserved && !isReservedAllowed(type, node, context.specVersion === 'oas3_2'))
      report('allowReserved', 'allowReserved has no effect here; remove it');
  };
}

// RFC 9110 section 5.1, and Paths Object of OpenAPI.
const NAMES: Readonly<Record<string, RegExp>> = { header: /^[\w!#$%&'*+.^`|~-]+$/, path: /^[^{}]*$/ };

/** Finds the name of a header or of a path parameter that no request can have, and what describes a querystring twice. */
function findWrongFields(type: string, { in: location, name, ...node }: JsonObject): (readonly [string, string])[] {
  if (type !== 'Parameter') return [];
  const isWrong = typeof name === 'string' && NAMES[String(location)]?.test(name) === false;
  const described = ['schema', 'style', 'explode', 'allowReserved'].filter((field) => Object.hasOwn(node, field));
  return [
    ...(isWrong ? [['name', `${name} is not a valid name for a parameter in ${String(location)}`] as const] : []),
    ...(location === 'querystring' ? described : []).map(
      (field) => [field, `a parameter in querystring has content, and no ${field}; remove it`] as const,
    ),
  ];
}

/** Whether allowReserved has an effect: in a query, and since 3.2 wherever a style percent-encodes. */
function isReservedAllowed(type: string, { in: location, style }: JsonObject, is32: boolean): boolean {
  if (type !== 'Parameter') return false;
  return is32 ? location !== 'header' && style !== 'cookie' : location === 'query';
}
