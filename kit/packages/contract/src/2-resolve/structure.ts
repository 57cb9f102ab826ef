// Checks the structure of OpenAPI objects outside schemas, so that other code can rely on it.
import { isMapByName } from '../1-parse/parse-yaml';
import { DocumentError } from '../text/document-error';
import { isObjectOrArray } from './schema';

export const METHOD_FIELDS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** The fields of a path item that contain operations. The x-oai- names are for documents before OpenAPI 3.2. */
export const OPERATION_FIELDS: Readonly<Record<string, 'Operation' | '{Operation}'>> = {
  ...Object.fromEntries([...METHOD_FIELDS, 'query', 'x-oai-query'].map((field) => [field, 'Operation'] as const)),
  ...{ additionalOperations: '{Operation}', 'x-oai-additionalOperations': '{Operation}' },
};

/** Either text, flag, a list `[Kind]`, a map `{Kind}`, or the name of an OpenAPI object. */
type Kind = string;

/** The kinds of an object's fields. Fields with a `!` are required, unless the object is a reference. */
type Fields = Readonly<Record<string, Kind>>;

const STYLE_FIELDS: Fields = { style: 'text', explode: 'flag', allowReserved: 'flag' };
const HEADER = { ...STYLE_FIELDS, required: 'flag', allowEmptyValue: 'flag', schema: 'Schema', content: '{MediaType}' };

const FIELDS: Readonly<Record<string, Fields>> = {
  Document: {
    ...{ openapi: 'text!', info: 'Info!', jsonSchemaDialect: 'text', servers: '[Server]', security: '[Requirement]' },
    ...{ paths: '{PathItem}', components: 'Components' },
  },
  Info: { title: 'text' },
  Server: { url: 'text!', variables: '{Variable}' },
  Variable: { default: 'text' },
  Components: {
    ...{ parameters: '{Parameter}', headers: '{Header}', requestBodies: '{RequestBody}', responses: '{Response}' },
    ...{ pathItems: '{PathItem}', mediaTypes: '{MediaType}', securitySchemes: '{SecurityScheme}' },
    ...{ schemas: '{Schema}', callbacks: '{Callback}', examples: '{Example}', links: '{Link}' },
  },
  PathItem: { servers: '[Server]', parameters: '[Parameter]', ...OPERATION_FIELDS },
  Operation: {
    ...{ operationId: 'text', parameters: '[Parameter]', requestBody: 'RequestBody', responses: '{Response}' },
    ...{ servers: '[Server]', security: '[Requirement]' },
  },
  Parameter: { ...HEADER, name: 'text!', in: 'text!' },
  Header: HEADER,
  RequestBody: { required: 'flag', content: '{MediaType}!' },
  Response: { headers: '{Header}', content: '{MediaType}' },
  MediaType: { schema: 'Schema', itemSchema: 'Schema', encoding: '{Encoding}' },
  Encoding: { ...STYLE_FIELDS, contentType: 'text' },
  Requirement: {},
  SecurityScheme: { type: 'text!', scheme: 'text', in: 'text', name: 'text' },
};

/** Returns the kind of the value at a path in a document; undefined if OpenAPI does not define it. */
export function kindAt(keys: readonly string[]): Kind | undefined {
  return keys.reduce<Kind | undefined>((kind = '', key) => {
    if (/^[[{]/.test(kind)) return key.startsWith('x-') ? undefined : kind.slice(1, -1);
    if (kind === 'Schema') return isMapByName(key, undefined) ? '{Schema}' : undefined;
    return Object.hasOwn(FIELDS[kind] ?? {}, key) ? FIELDS[kind]?.[key]?.replace('!', '') : undefined;
  }, 'Document');
}

// Objects that OpenAPI does not allow a Reference Object to replace.
const NEVER_REFERENCES = new Set(['Document', 'Info', 'Server', 'Variable']);

/** Removes values of the wrong kind and objects without a required field, and returns the errors. */
export function removeMisplacedFields(document: object): DocumentError[] {
  const errors: DocumentError[] = [];
  const seen = new Set<object>();
  checkFields(document, 'Document');
  return errors;

  /** Removes malformed fields, and returns the first missing required field. */
  function checkFields(object: object, name: string): string | undefined {
    const fields: Fields = { $ref: 'text', ...FIELDS[name] };
    const isReference = '$ref' in object && !NEVER_REFERENCES.has(name);
    const requiredKeys = isReference ? [] : Object.keys(fields).filter((key) => fields[key]?.endsWith('!'));
    const missingKey = requiredKeys.find((key) => !Object.hasOwn(object, key));
    if (seen.has(object)) return missingKey;
    seen.add(object);
    for (const [key, kind] of Object.entries(fields)) if (Object.hasOwn(object, key)) checkMember(object, key, kind);
    return missingKey;
  }

  function checkMember(owner: object, key: string, kind: Kind): void {
    const problem = findProblem((owner as Readonly<Record<string, unknown>>)[key], kind.replace('!', ''));
    if (problem === undefined) return;
    errors.push(new DocumentError(owner, Array.isArray(owner) ? problem : `${key} ${problem}`, key));
    if (Array.isArray(owner)) owner[Number(key)] = undefined;
    else Reflect.deleteProperty(owner, key);
  }

  function findProblem(value: unknown, kind: Kind): string | undefined {
    if (kind === 'text') return typeof value === 'string' ? undefined : 'must be a string';
    if (kind === 'flag') return typeof value === 'boolean' ? undefined : 'must be true or false';
    const inner = kind.slice(1, -1);
    if (kind.startsWith('[')) {
      if (!Array.isArray(value)) return 'must be a list';
      for (const index of value.keys()) checkMember(value, String(index), inner);
      // checkMember replaced malformed items with undefined.
      value.splice(0, value.length, ...value.filter((item: unknown) => item !== undefined));
      return undefined;
    }
    if (!kind.startsWith('{') && !Object.hasOwn(FIELDS, kind)) return undefined;
    if (!isObjectOrArray(value) || Array.isArray(value)) return 'must be an object';
    if (kind.startsWith('{')) {
      for (const key of Object.keys(value)) if (!key.startsWith('x-')) checkMember(value, key, inner);
      return undefined;
    }
    const missingKey = checkFields(value, kind);
    return missingKey === undefined ? undefined : `needs ${missingKey}`;
  }
}
