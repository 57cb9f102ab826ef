// Checks that the objects of OpenAPI around schemas have values of the right kinds, which all other readers rely on.
import { DocumentError } from '../text/document-error';
import { OPERATION_FIELDS } from './path-item';
import { isObjectOrArray } from './schema';

/** A kind of value: a text, true or false, an object of OpenAPI by its name, a list `[Name]`, or a map `{Name}`. */
type Kind = string;

/** The fields of an object that the kit reads, each with its kind. The object needs those with a `!`, unless it is a reference. */
type Fields = Readonly<Record<string, Kind>>;

const WRITTEN_AS: Fields = { style: 'text', explode: 'flag', allowReserved: 'flag' };
const HEADER: Fields = { ...WRITTEN_AS, required: 'flag', allowEmptyValue: 'flag', content: '{Media}' };

const OBJECTS: Readonly<Record<string, Fields>> = {
  Document: {
    ...{ openapi: 'text!', info: 'Info!', jsonSchemaDialect: 'text', servers: '[Server]', security: '[Requirement]' },
    ...{ paths: '{PathItem}', components: 'Components' },
  },
  Info: { title: 'text' },
  Server: { url: 'text!', variables: '{Variable}' },
  Variable: { default: 'text' },
  Components: {
    ...{
      headers: '{Header}',
      mediaTypes: '{Media}',
      parameters: '{Parameter}',
      pathItems: '{PathItem}',
      requestBodies: '{RequestBody}',
    },
    ...{ responses: '{Response}', securitySchemes: '{SecurityScheme}', schemas: 'object' },
  },
  PathItem: { servers: '[Server]', parameters: '[Parameter]', ...OPERATION_FIELDS },
  Operation: {
    ...{ operationId: 'text', parameters: '[Parameter]', requestBody: 'RequestBody', responses: '{Response}' },
    ...{ servers: '[Server]', security: '[Requirement]' },
  },
  Parameter: { ...HEADER, name: 'text!', in: 'text!' },
  Header: HEADER,
  RequestBody: { required: 'flag', content: '{Media}!' },
  Response: { headers: '{Header}', content: '{Media}' },
  Media: { encoding: '{Encoding}' },
  Encoding: { ...WRITTEN_AS, contentType: 'text' },
  Requirement: {},
  SecurityScheme: { type: 'text!', scheme: 'text', in: 'text', name: 'text' },
};

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
    if (!isObjectOrArray(value) || Array.isArray(value)) return 'must be an object';
    if (kind.startsWith('{')) {
      for (const key of Object.keys(value)) if (!key.startsWith('x-')) checkMember(value, key, inner);
      return undefined;
    }
    const lacking = checkFields(value, kind);
    return lacking === undefined ? undefined : `needs ${lacking}`;
  }
}
