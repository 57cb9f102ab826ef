import { isJsonObject, type Json } from '../wire/json';
import { assertGenerated } from './keywords';
import { deeper } from './pointer';
import { resolve, type Contract } from './read-contract';
import { propertiesOf, readSchema, typesOf, type Schema } from './schema';

/** What the bytes of a body are. */
export type Kind = 'json' | 'text' | 'form' | 'bytes';

/** A body of one media type. */
export interface Content {
  readonly mediaType: string;
  readonly kind: Kind;
  readonly pointer: string;
  /** Says nothing where there is none. */
  readonly schema: Schema;
  readonly examples: readonly Example[];
}

/** What the contract itself shows of a body. */
export interface Example {
  readonly name: string;
  readonly pointer: string;
  readonly value: Json;
}

/**
 * RFC 6839 section 3.1: whatever ends in +json is JSON.
 *
 * @example isJsonType('application/problem+json') // true
 */
export function isJsonType(type: string): boolean {
  return /^(?:application\/json|[\w.-]+\/[\w.-]+\+json)$/.test(type);
}

/** @throws Error that names the place, where no cases can be made */
export function readContents(contract: Contract, pointer: string): Content[] {
  const { content } = resolve(contract, pointer).value;
  return Object.keys(isJsonObject(content) ? content : {}).map((mediaType) => {
    const kind = kindOf(mediaType);
    const at = deeper(pointer, 'content', mediaType);
    if (kind === undefined) throw new Error(`${pointer}: no cases can be made for the media type ${mediaType}`);
    const { value } = resolve(contract, at);
    if (value['encoding'] !== undefined) throw new Error(`${at}: no cases can be made for an encoding`);
    if (value['schema'] !== undefined && kind !== 'bytes') assertGenerated(contract, deeper(at, 'schema'));
    const schema =
      value['schema'] === undefined ? { contract, places: [] } : readSchema(contract, deeper(at, 'schema'));
    assertWritable(kind, at, schema);
    const examples = kind === 'json' ? readExamples(contract, at) : [];
    return { mediaType, kind, pointer: at, schema, examples };
  });
}

function kindOf(type: string): Kind | undefined {
  if (isJsonType(type)) return 'json';
  const kinds: Readonly<Record<string, Kind>> = {
    'text/plain': 'text',
    'application/x-www-form-urlencoded': 'form',
    'application/octet-stream': 'bytes',
  };
  return kinds[type];
}

function assertWritable(kind: Kind, pointer: string, schema: Schema): void {
  const types = [...typesOf(schema)].join();
  const isBinary = schema.places.every(({ schema: { type, format = 'binary', ...rest } }) => {
    const others = Object.keys(rest).filter((keyword) => keyword !== 'title' && keyword !== 'description');
    return (type === undefined || type === 'string') && format === 'binary' && others.length === 0;
  });
  const isRight =
    (kind !== 'text' || types === 'string') &&
    (kind !== 'form' || (types === 'object' && propertiesOf(schema).size > 0)) &&
    (kind !== 'bytes' || isBinary);
  if (!isRight) throw new Error(`${pointer}: no cases can be made for this schema of ${kind}`);
}

function readExamples(contract: Contract, pointer: string): Example[] {
  const { value: content } = resolve(contract, pointer);
  const single = content['example'];
  const named = Object.keys(isJsonObject(content['examples']) ? content['examples'] : {}).flatMap((name) => {
    const example = resolve(contract, deeper(pointer, 'examples', name));
    const { value } = example.value;
    return value === undefined ? [] : [{ name, pointer: example.pointer, value }];
  });
  return single === undefined
    ? named
    : [{ name: 'example', pointer: deeper(pointer, 'example'), value: single }, ...named];
}

/** The first body that is JSON; undefined where none is. */
export function findJson(contents: readonly Content[]): Content | undefined {
  return contents.find(({ kind }) => kind === 'json');
}
