// A rule for Redocly: what OpenAPI says about fields of one object that exclude each other or have no effect.
import type { LocationObject, Oas3Visitor, Plugin, UserContext } from '@redocly/openapi-core';
import type { JsonObject } from '../diagnostics/diagnostic';

type Pairs = readonly (readonly [one: string, other: string])[];

const EXAMPLES: Pairs = [['example', 'examples']];
const SERIALIZED: Pairs = [...EXAMPLES, ['content', 'schema'], ['content', 'style'], ['content', 'explode']];

/** Fields of which an object has one at most, by the name that Redocly has for its type. */
const EXCLUSIVE: Readonly<Record<string, Pairs>> = {
  Parameter: SERIALIZED,
  Header: SERIALIZED,
  MediaType: EXAMPLES,
  License: [['identifier', 'url']],
  Link: [['operationId', 'operationRef']],
  // OpenAPI 3.2.
  Xml: [
    ['nodeType', 'attribute'],
    ['nodeType', 'wrapped'],
  ],
};

/** The plugin that has the rule `openapi/fields`. */
export const FIELD_RULES: Plugin = {
  id: 'openapi',
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
    for (const [one, other] of pairs) {
      if (Object.hasOwn(node, one) && Object.hasOwn(node, other))
        report(other, `${one} and ${other} exclude each other: leave one out`);
    }
    const isWritten = Object.hasOwn(node, 'allowReserved');
    if (isWritten && !hasReserved(type, node, context.specVersion === 'oas3_2'))
      report('allowReserved', 'allowReserved has no effect here: leave it out');
  };
}

/** Whether allowReserved counts: in a query, and since 3.2 wherever a style encodes with percent signs. */
function hasReserved(type: string, { in: location, style }: JsonObject, is32: boolean): boolean {
  if (type !== 'Parameter') return false;
  return is32 ? location !== 'header' && style !== 'cookie' : location === 'query';
}
