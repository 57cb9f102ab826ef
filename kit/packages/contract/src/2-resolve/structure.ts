// Checks that the objects of OpenAPI around schemas have values of the right kinds, which all other readers rely on.
import { isMapByName } from '../1-parse/parse-yaml';
import { DocumentError } from '../text/document-error';
import { isObjectOrArray } from './schema';

export const METHOD_FIELDS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** The fields that have operations, with the kind of each. Before OpenAPI 3.2, its new ones are extensions of the OpenAPI Initiative. */
export const OPERATION_FIELDS: Readonly<Record<string, 'Operation' | '{Operation}'>> = {
  ...Object.fromEntries([...METHOD_FIELDS, 'query', 'x-oai-query'].map((field) => [field, 'Operation'] as const)),
  ...{ additionalOperations: '{Operation}', 'x-oai-additionalOperations': '{Operation}' },
};

/** A kind of value: a text, true or false, a list `[Name]`, a map `{Name}`, or an object of OpenAPI by its name; OBJECTS has those that are checked here. */
type Kind = string;

/** The fields of an object that the kit reads, each with its kind. The object needs those with a `!`, unless it is a reference. */
type Fields = Readonly<Record<string, Kind>>;

const WRITTEN_AS: Fields = { style: 'text', explode: 'flag', allowReserved: 'flag' };
const HEADER = { ...WRITTEN_AS, required: 'flag', allowEmptyValue: 'flag', schema: 'Schema', content: '{MediaType}' };

const OBJECTS: Readonly<Record<string, Fields>> = {
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
  Encoding: { ...WRITTEN_AS, contentType: 'text' },
  Requirement: {},
  SecurityScheme: { type: 'text!', scheme: 'text', in: 'text', name: 'text' },
};

/** The kind of what is at some keys of a document; undefined where OpenAPI does not say. */
export function kindAt(keys: readonly string[]): Kind | undefined {
  return keys.reduce<Kind | undefined>((kind = '', key) => {
    if (/^[[{]/.test(kind)) return key.startsWith('x-') ? undefined : kind.slice(1, -1);
    if (kind === 'Schema') return isMapByName(key, undefined) ? '{Schema}' : undefined;
    return Object.hasOwn(OBJECTS[kind] ?? {}, key) ? OBJECTS[kind]?.[key]?.replace('!', '') : undefined;
  }, 'Document');
}

// OpenAPI allows no Reference Object in the place of these.
const NEVER_REFERENCES = new Set(['Document', 'Info', 'Server', 'Variable']);

/** Takes out what has the wrong kind, or lacks what it needs, and returns the errors; their nodes stay in the document. */
export function takeOutMisplaced(document: object): DocumentError[] {
  const errors: DocumentError[] = [];
  const seen = new Set<object>();
  checkFields(document, 'Document');
  return errors;

  /** Checks the fields of an object, and takes out wrong ones. Returns the name of a field that it lacks. */
  function checkFields(object: object, name: string): string | undefined {
    const fields: Fields = { $ref: 'text', ...OBJECTS[name] };
    const isReference = '$ref' in object && !NEVER_REFERENCES.has(name);
    const needed = isReference ? [] : Object.keys(fields).filter((key) => fields[key]?.endsWith('!'));
    const lacking = needed.find((key) => !Object.hasOwn(object, key));
    // A YAML alias is the same object as the node that it stands for.
    if (seen.has(object)) return lacking;
    seen.add(object);
    for (const [key, kind] of Object.entries(fields)) if (Object.hasOwn(object, key)) checkMember(object, key, kind);
    return lacking;
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
      // What was taken out.
      value.splice(0, value.length, ...value.filter((item: unknown) => item !== undefined));
      return undefined;
    }
    if (!kind.startsWith('{') && !Object.hasOwn(OBJECTS, kind)) return undefined;
    if (!isObjectOrArray(value) || Array.isArray(value)) return 'must be an object';
    if (kind.startsWith('{')) {
      for (const key of Object.keys(value)) if (!key.startsWith('x-')) checkMember(value, key, inner);
      return undefined;
    }
    const lacking = checkFields(value, kind);
    return lacking === undefined ? undefined : `needs ${lacking}`;
  }
}
