import { isJsonObject, toText, type Json, type JsonObject } from '../wire/json';
import { assertGenerated } from './keywords';
import { deeper } from './pointer';
import { readContract, resolve, toList, type Contract } from './read-contract';
import { propertiesOf, readSchema, rulesOf, type Schema } from './schema';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;
export const JSON_TYPE = /^application\/(?:[\w.-]+\+)?json$/;

/** What the suite knows of a contract. */
export interface Model {
  readonly contract: Contract;
  readonly operations: readonly Operation[];
  /** The methods of each path. */
  readonly paths: ReadonlyMap<string, readonly string[]>;
  /** The numbers that an error may have, where the contract lists them. */
  readonly errors: readonly ErrorEntry[];
}

export interface Operation {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly pointer: string;
  /** Each of them is enough; in each, all are needed. */
  readonly alternatives: readonly (readonly Scheme[])[];
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  readonly replies: ReadonlyMap<string, Reply>;
}

export interface Scheme {
  readonly name: string;
  readonly pointer: string;
  readonly kind: 'bearer' | 'basic' | 'apiKey';
  /** Of an apiKey. */
  readonly in?: string;
  readonly parameter?: string;
}

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly isRequired: boolean;
  readonly style: string;
  readonly isExploded: boolean;
  readonly pointer: string;
  readonly schema: Schema;
}

export interface Body {
  readonly isRequired: boolean;
  readonly pointer: string;
  readonly mediaType: string;
  readonly schema: Schema;
  readonly examples: readonly Example[];
}

/** What the contract itself shows of a body. */
export interface Example {
  readonly name: string;
  readonly pointer: string;
  readonly value: Json;
}

export interface Reply {
  readonly pointer: string;
  readonly mediaType: string | undefined;
  readonly schema: Schema | undefined;
  readonly examples: readonly Example[];
  readonly headers: ReadonlyMap<string, { readonly isRequired: boolean; readonly schema: Schema }>;
}

export interface ErrorEntry {
  readonly name: string;
  readonly number: Json;
  readonly status: Json;
  readonly pointer: string;
}

/** @throws Error that names the place, where no cases can be made */
export function readModel(text: string): Model {
  const contract = readContract(text);
  const paths = object(contract.root['paths']);
  const operations = Object.keys(paths).flatMap((path) => {
    const item = deeper('#', 'paths', path);
    return METHODS.filter((method) => method in object(paths[path])).map((method) =>
      readOperation(contract, item, path, method),
    );
  });
  return {
    contract,
    operations,
    paths: new Map(
      Object.keys(paths).map((path) => [
        path,
        operations.filter((one) => one.path === path).map(({ method }) => method),
      ]),
    ),
    errors: uniqueByName(
      operations.flatMap(({ replies }) =>
        [...replies.values()].flatMap(({ schema }) => (schema ? errorsOf(schema) : [])),
      ),
    ),
  };
}

function readOperation(contract: Contract, item: string, path: string, method: string): Operation {
  const pointer = deeper(item, method);
  const { value } = resolve(contract, pointer);
  const id = value['operationId'];
  if (typeof id !== 'string') throw new Error(`${pointer} has no operationId`);
  const requirements = toList(value['security'] ?? contract.root['security']) as readonly JsonObject[];
  const shared = toList(resolve(contract, item).value['parameters']).map((_one, index) =>
    deeper(item, 'parameters', index),
  );
  const own = toList(value['parameters']).map((_one, index) => deeper(pointer, 'parameters', index));
  const parameters = new Map(
    [...shared, ...own].map((at) => readParameter(contract, at)).map((one) => [`${one.in} ${one.name}`, one]),
  );
  const replies = Object.keys(object(value['responses'])).filter((status) => !status.startsWith('x-'));
  return {
    id,
    method: method.toUpperCase(),
    path,
    pointer,
    alternatives:
      requirements.length === 0
        ? [[]]
        : requirements.map((all) => Object.entries(all).map(([name, scopes]) => readScheme(contract, name, scopes))),
    parameters: [...parameters.values()],
    body: value['requestBody'] === undefined ? undefined : readBody(contract, deeper(pointer, 'requestBody')),
    replies: new Map(replies.map((status) => [status, readReply(contract, deeper(pointer, 'responses', status))])),
  };
}

function readScheme(contract: Contract, name: string, scopes: Json): Scheme {
  const { value, pointer } = resolve(contract, deeper('#', 'components', 'securitySchemes', name));
  // They would take a secret for each set of scopes.
  if (toList(scopes).length > 0) throw new Error(`${pointer}: no cases can be made for scopes`);
  const scheme = toText(value['scheme']).toLowerCase();
  if (value['type'] === 'apiKey')
    return { name, pointer, kind: 'apiKey', in: toText(value['in']), parameter: toText(value['name']) };
  if (value['type'] === 'http' && scheme === 'basic') return { name, pointer, kind: 'basic' };
  if (value['type'] === 'oauth2' || value['type'] === 'openIdConnect' || scheme === 'bearer')
    return { name, pointer, kind: 'bearer' };
  throw new Error(`${pointer}: no cases can be made for this security scheme`);
}

const STYLES: Readonly<Record<string, string>> = { path: 'simple', header: 'simple', query: 'form', cookie: 'form' };

function readParameter(contract: Contract, at: string): Parameter {
  const { value, pointer } = resolve(contract, at);
  const place = value['in'] as Parameter['in'];
  if (value['schema'] === undefined)
    throw new Error(`${pointer}: no cases can be made for a parameter without a schema`);
  assertGenerated(contract, deeper(pointer, 'schema'));
  const style = toText(value['style'] ?? STYLES[place]);
  return {
    name: toText(value['name']),
    in: place,
    isRequired: value['required'] === true,
    style,
    isExploded: value['explode'] === undefined ? style === 'form' : value['explode'] === true,
    pointer,
    schema: readSchema(contract, deeper(pointer, 'schema')),
  };
}

function readBody(contract: Contract, at: string): Body {
  const { value, pointer } = resolve(contract, at);
  const content = readContent(contract, value, pointer);
  if (!content) throw new Error(`${pointer} has no content`);
  return { ...content, isRequired: value['required'] === true, pointer };
}

function readReply(contract: Contract, at: string): Reply {
  const { value, pointer } = resolve(contract, at);
  const headers = Object.keys(object(value['headers'])).map((name) => {
    const header = resolve(contract, deeper(pointer, 'headers', name));
    const schema = deeper(header.pointer, 'schema');
    return [
      name.toLowerCase(),
      { isRequired: header.value['required'] === true, schema: readSchema(contract, schema) },
    ] as const;
  });
  const content = readContent(contract, value, pointer);
  return {
    pointer,
    mediaType: content?.mediaType,
    schema: content?.schema,
    examples: content?.examples ?? [],
    headers: new Map(headers),
  };
}

function readContent(
  contract: Contract,
  value: JsonObject,
  pointer: string,
): Pick<Body, 'mediaType' | 'schema' | 'examples'> | undefined {
  const types = Object.keys(object(value['content']));
  const [mediaType] = types;
  if (mediaType === undefined) return undefined;
  const other = types.find((type) => !JSON_TYPE.test(type)) ?? types[1];
  if (other !== undefined) throw new Error(`${pointer}: no cases can be made for the media type ${other}`);
  const content = deeper(pointer, 'content', mediaType);
  const schema = deeper(content, 'schema');
  assertGenerated(contract, schema);
  return { mediaType, schema: readSchema(contract, schema), examples: readExamples(contract, content) };
}

function readExamples(contract: Contract, pointer: string): Example[] {
  const { value: content } = resolve(contract, pointer);
  const single = content['example'];
  const named = Object.keys(object(content['examples'])).flatMap((name) => {
    const example = resolve(contract, deeper(pointer, 'examples', name));
    const { value } = example.value;
    return value === undefined ? [] : [{ name, pointer: example.pointer, value }];
  });
  return single === undefined
    ? named
    : [{ name: 'example', pointer: deeper(pointer, 'example'), value: single }, ...named];
}

/** The catalogue of error numbers, an extension at the property that holds the number. */
function errorsOf(schema: Schema): ErrorEntry[] {
  return [...propertiesOf(schema).values()].flatMap((property) =>
    rulesOf(property, 'x-error-catalogue').flatMap(({ value, place }) =>
      Object.entries(object(value)).map(([name, entry]) => ({
        name,
        number: object(entry)['number'] ?? null,
        status: object(entry)['status'] ?? null,
        pointer: deeper(place.pointer, 'x-error-catalogue', name),
      })),
    ),
  );
}

function uniqueByName(entries: readonly ErrorEntry[]): ErrorEntry[] {
  return [...new Map(entries.map((entry) => [entry.pointer, entry])).values()];
}

function object(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
