// Reads the bodies that a contract declares.
import { objectOrEmpty, type Json } from '../wire/json';
import { extendPointer } from './pointer';
import { essenceOf, isJsonType } from './media-type';
import { resolve, type Contract } from './read-contract';
import { readParts, type Part } from './read-parts';
import { choiceOf, propertiesOf, readSchema, typesOf, type Schema } from './schema';

/** How a body is encoded; the suite cannot read or write `other`. */
export type Kind = 'json' | 'text' | 'form' | 'multipart' | 'bytes' | 'other';

/** A body of one media type. */
export interface Content {
  readonly mediaType: string;
  readonly kind: Kind;
  readonly pointer: string;
  /** Without rules when the contract has no schema. */
  readonly schema: Schema;
  readonly examples: readonly Example[];
  /** Of a multipart/form-data. */
  readonly parts: ReadonlyMap<string, Part>;
}

/** An example in the contract. */
export interface Example {
  readonly name: string;
  readonly pointer: string;
  readonly value: Json;
}

/** Reads the content of a request or reply; media types of kind `other` come last. */
export function readContents(contract: Contract, pointer: string): Content[] {
  const { content } = resolve(contract, pointer).value;
  const contents = Object.keys(objectOrEmpty(content)).map((mediaType): Content => {
    const at = extendPointer(pointer, 'content', mediaType);
    const { value } = resolve(contract, at);
    const schema =
      value['schema'] === undefined ? { contract, places: [] } : readSchema(contract, extendPointer(at, 'schema'));
    const usual = kindOf(mediaType);
    const isKnown = isReadable(usual, schema) && !(usual === 'form' && value['encoding'] !== undefined);
    const kind = isKnown ? usual : 'other';
    const examples = kind === 'bytes' ? [] : readExamples(contract, at);
    const parts = kind === 'multipart' ? readParts(schema, value['encoding'], extendPointer(at, 'encoding')) : NO_PARTS;
    return { mediaType, kind, pointer: at, schema, examples, parts };
  });
  return contents.toSorted((one, other) => Number(one.kind === 'other') - Number(other.kind === 'other'));
}

const NO_PARTS: Content['parts'] = new Map();

function kindOf(type: string): Kind {
  const essence = essenceOf(type);
  if (isJsonType(essence)) return 'json';
  const kinds: Readonly<Record<string, Kind>> = {
    'text/plain': 'text',
    'text/csv': 'text',
    'text/html': 'text',
    'text/markdown': 'text',
    'application/x-www-form-urlencoded': 'form',
    'multipart/form-data': 'multipart',
    'application/octet-stream': 'bytes',
  };
  return kinds[essence] ?? 'other';
}

// Whether the suite can read and write bodies of this kind with this schema.
function isReadable(kind: Kind, schema: Schema): boolean {
  const types = [...typesOf(schema)].join();
  const isBinary = schema.places.every(({ schema: { type, format = 'binary', ...rest } }) => {
    const others = Object.keys(rest).filter((keyword) => keyword !== 'title' && keyword !== 'description');
    return (type === undefined || type === 'string') && format === 'binary' && others.length === 0;
  });
  return (
    (kind !== 'text' || types === 'string') &&
    (!['form', 'multipart'].includes(kind) || (types === 'object' && propertiesOf(schema).size > 0)) &&
    (kind !== 'multipart' || choiceOf(schema) === undefined) &&
    (kind !== 'bytes' || isBinary)
  );
}

function readExamples(contract: Contract, pointer: string): Example[] {
  const { value: content } = resolve(contract, pointer);
  const single = content['example'];
  const named = Object.keys(objectOrEmpty(content['examples'])).flatMap((name) => {
    const at = extendPointer(pointer, 'examples', name);
    const example = contract.untried.attempt(() => resolve(contract, at), { value: {}, pointer: at });
    const { value } = example.value;
    return value === undefined ? [] : [{ name, pointer: example.pointer, value }];
  });
  return single === undefined
    ? named
    : [{ name: 'example', pointer: extendPointer(pointer, 'example'), value: single }, ...named];
}

/** The first body that is JSON; undefined where none is. */
export function findJson(contents: readonly Content[]): Content | undefined {
  return contents.find(({ kind }) => kind === 'json');
}
