// The parts of contracts whose operations take items, or reply with items.
import type { OperationParts } from './serve-operation';

export const READING =
  '{ type: object, required: [bed, value], properties: { bed: { type: integer, format: int64, minimum: 1 }, value: { type: number, maximum: 100 } } }';
export const EVENT = `{ type: object, required: [event, data], properties: { event: { type: string }, id: { type: string }, retry: { type: integer }, data: { type: string } },
  oneOf: [
    { properties: { event: { const: reading }, data: { contentMediaType: application/json, contentSchema: ${READING} } } },
    { properties: { event: { enum: [note, end] }, data: { maxLength: 20 } } } ] }`;
export const LINES = 'application/jsonl';
export const RECORDS = 'application/json-seq';
export const EVENTS = 'text/event-stream';
export const BIG = 9007199254740993n;

/** An operation that replies with items, each as the media types say, or as one schema. */
export function replying(...types: readonly (readonly [type: string, schema: string])[]): OperationParts {
  const content = types.map(([type, schema]) => `${type}: { itemSchema: ${schema} }`).join(', ');
  return { version: '3.2.0', method: 'get', responses: `'200': { description: Items., content: { ${content} } }` };
}

export function taking(type: string, schema: string, more = ''): OperationParts {
  return {
    version: '3.2.0',
    members: `requestBody: { required: true${more}, content: { ${type}: { itemSchema: ${schema} } } }`,
  };
}
