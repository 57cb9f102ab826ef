import { objectOrEmpty, toText, isJsonObject, type JsonObject, type Json } from '../wire/json';
import type { OtherServer } from '../wire/request';
import { extendPointer, findReferenced, unescapeKey } from './pointer';
import { essenceOf, isJsonType } from '../wire/media-type';
import { allowsAllBytes, readContents, readExamples, type Content, type ContentKind } from './read-content';
import { membersOf, resolve, toFragment, toList, type Contract, type ResolvedObject } from './read-contract';
import { parametersOf } from './path-template';
import { SkippedError, attempt } from './skipped';
import { readSchema, rulesOf, type Schema } from './schema';

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

/** An operation of the contract. */
export interface Operation extends Security {
  readonly id: string;
  /** The HTTP method, in upper case, or as an additional operation spells it. */
  readonly method: string;
  readonly path: string;
  /** Set if the operation's server has another path than the contract's server. */
  readonly server: OtherServer | undefined;
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  /** Declared headers that the HTTP client sets itself, such as Content-Length. */
  readonly layerHeaders: readonly Parameter[];
  readonly body: Body | undefined;
  /** Keyed by status: `200`, `4XX` or `default`. */
  readonly replies: ReadonlyMap<string, Reply>;
}

export interface Body {
  readonly isRequired: boolean;
  readonly pointer: string;
  readonly contents: readonly [Content, ...Content[]];
}

export interface Reply {
  readonly pointer: string;
  readonly contents: readonly Content[];
  /** Keyed by lower-case name. */
  readonly headers: ReadonlyMap<string, ReplyHeader>;
  readonly links: readonly JsonObject[];
}

export interface ReplyHeader extends Serialization {
  readonly name: string;
  readonly isRequired: boolean;
}

interface Method {
  readonly method: string;
  readonly pointer: string;
}

/** Returns the declared methods, except those that no request can have, which go on the skipped list. */
export function methodsOf({ contract, value, pointer }: ResolvedObject): Method[] {
  const names = toText(contract.root['openapi']).startsWith('3.2.') ? [...METHODS, 'query'] : METHODS;
  const additionalMethods = ['additionalOperations', 'x-oai-additionalOperations'].flatMap((name) =>
    Object.keys(objectOrEmpty(value[name])).map((method) => ({
      method,
      pointer: extendPointer(pointer, name, method),
    })),
  );
  const declaredMethods = names
    .filter((name) => name in value)
    .map((name) => ({ method: name.toUpperCase(), pointer: extendPointer(pointer, name) }));
  return [
    ...declaredMethods,
    ...additionalMethods.filter(({ method, pointer: methodPointer }) => {
      // RFC 9110 section 9.1: a method is a token. The target of CONNECT is not a path.
      const isToken = /^[\w!#$%&'*+.^`|~-]+$/.test(method) && method !== 'CONNECT';
      const isSendable = isToken && !names.some((name) => name.toUpperCase() === method);
      if (!isSendable)
        contract.skipped.add({ reason: `additional operations with the method ${method}`, pointer: methodPointer });
      return isSendable;
    }),
  ];
}

/** @throws SkippedError if the suite cannot read the operation */
export function readOperation(pathItem: ResolvedObject, path: string, { method, pointer }: Method): Operation {
  const { contract } = pathItem;
  const operation = resolve(contract, pointer);
  const { value } = operation;
  const { operationId, requestBody } = value;
  const parameters = [pathItem, operation].flatMap(readParameters);
  // The operation's parameters come last, so that they override the path item's.
  const byName = new Map(parameters.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  const declaredParameters = [...byName.values()];
  if (!parametersOf(path).every((name) => byName.has(`path ${name}`)))
    contract.skipped.add({ reason: `undeclared parameters in the path ${path}`, pointer });
  const security = readSecurity(contract, value['security'] ?? contract.root['security']);
  const locations = [
    ...declaredParameters.map((parameter) => parameter.in),
    ...security.securityRequirements.flat().map((scheme) => scheme.in),
  ];
  if (locations.includes('querystring') && locations.includes('query'))
    throw new SkippedError('parameters in query beside one in querystring', pointer);
  const layerHeaders = locations.includes('cookie') ? [...LAYER_HEADERS, 'cookie'] : LAYER_HEADERS;
  return {
    id: typeof operationId === 'string' ? operationId : `${method} ${path}`,
    method,
    path,
    server: readServer(contract, [value, pathItem.value]),
    pointer,
    ...security,
    parameters: declaredParameters.filter((parameter) => !isHeaderIn([...IGNORED_HEADERS, ...layerHeaders], parameter)),
    layerHeaders: declaredParameters.filter((parameter) => isHeaderIn(layerHeaders, parameter)),
    body: requestBody === undefined ? undefined : readBody(resolve(contract, extendPointer(pointer, 'requestBody'))),
    replies: new Map(membersOf(operation, 'responses').map(([status, reply]) => [status, readReply(reply, status)])),
  };
}

/** @param owners the operation and its path item, whose `servers` override the contract's */
function readServer({ root }: Contract, owners: readonly JsonObject[]): OtherServer | undefined {
  const [path = '', contractPath = ''] = [[...owners, root], [root]].map(toServerPath);
  return path === contractPath ? undefined : { contractPath, path };
}

/** Uses the first server that an owner lists, with the default of each variable (OpenAPI, Server Object). */
function toServerPath(owners: readonly JsonObject[]): string {
  const { url, variables } = objectOrEmpty(owners.flatMap(({ servers }) => toList(servers))[0]);
  const filledUrl = toText(url ?? '').replace(/\{([^{}]*)\}/g, (_all, name: string) =>
    toText(objectOrEmpty(objectOrEmpty(variables)[name])['default'] ?? ''),
  );
  return URL.parse(filledUrl, 'http://localhost')?.pathname.replace(/\/+$/, '') ?? '';
}

function readParameters(owner: ResolvedObject): Parameter[] {
  return membersOf(owner, 'parameters').map(([, parameter]) => readParameter(parameter));
}

function readBody(body: ResolvedObject): Body {
  const { value, pointer } = body;
  const [first, ...others] = readContents(body);
  if (!first) throw new SkippedError('bodies without content', pointer);
  return { isRequired: value['required'] === true, pointer, contents: [first, ...others] };
}

// RFC 9110 sections 15.3.5, 15.3.6 and 15.4.5: these replies never have content.
const STATUSES_WITHOUT_CONTENT: readonly string[] = ['204', '205', '304'];

function readReply(reply: ResolvedObject, status: string): Reply {
  const { contract, pointer } = reply;
  const hasNoContent = STATUSES_WITHOUT_CONTENT.includes(status);
  const contents = hasNoContent ? [] : readContents(reply).map(withoutForm);
  for (const content of contents.filter(({ kind, schema }) => kind === 'other' && !allowsAllBytes(schema)))
    contract.skipped.add({ reason: `bodies of responses of type ${content.mediaType}`, pointer: content.pointer });
  // OpenAPI, Response Object: a Content-Type header is ignored.
  const declaredHeaders = membersOf(reply, 'headers').filter(([name]) => name.toLowerCase() !== 'content-type');
  const headers = declaredHeaders.map(([name, header]): [string, ReplyHeader] => {
    // OpenAPI, Header Object: `simple` is the only style of headers.
    const serialization = readSerialization(header, 'simple');
    return [name.toLowerCase(), { ...serialization, name, isRequired: header.value['required'] === true }];
  });
  const links = membersOf(reply, 'links').map(([, { value }]) => value);
  return { pointer, contents, headers: new Map(headers), links };
}

// Turns forms into the kind `other`, because the suite cannot read forms in replies.
function withoutForm(content: Content): Content {
  return content.kind === 'form' || content.kind === 'multipart' ? { ...content, kind: 'other' } : content;
}

/** How a parameter or header is serialized as text. */
export interface Serialization {
  /** An OpenAPI style, or `json` for a parameter with JSON content. */
  readonly style: string;
  readonly isExploded: boolean;
  readonly pointer: string;
  readonly schema: Schema;
  readonly skipReason?: SkippedError;
}

export interface Parameter extends Serialization {
  readonly name: string;
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie';
  readonly isRequired: boolean;
  /** Whether `allowEmptyValue` lets clients send an empty value, even if the schema does not allow it. */
  readonly mayBeEmpty?: boolean;
  /** Examples of the parameter itself, not of its schema. */
  readonly examples?: readonly Json[];
  /** Set for a parameter in `querystring`, which is the whole query. */
  readonly content?: Content;
}

// OpenAPI, Style Values: the styles for each location. The first one is the default.
const STYLES: Readonly<Record<Parameter['in'], readonly [usual: string, ...others: string[]]>> = {
  path: ['simple', 'label', 'matrix'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  querystring: ['content'],
  cookie: ['form', 'cookie'],
};

function readParameter(parameter: ResolvedObject): Parameter {
  const { value, pointer } = parameter;
  const location = value['in'] as Parameter['in'];
  if (!Object.hasOwn(STYLES, toText(location))) throw new SkippedError(`parameters in ${toText(location)}`, pointer);
  const commonFields = {
    name: toText(value['name']),
    in: location,
    isRequired: value['required'] === true || location === 'path',
    mayBeEmpty: value['allowEmptyValue'] === true,
  };
  if (location === 'querystring') return { ...commonFields, ...readQuerystring(parameter) };
  const serialization = readSerialization(parameter, STYLES[location][0]);
  const isUnknownStyle = serialization.style !== 'json' && !STYLES[location].includes(serialization.style);
  const hasSeveralValues = ['array', 'object'].some((type) => listsType(serialization, type));
  // An exploded array or object would need several cookies.
  const isExplodedCookie =
    location === 'cookie' && serialization.style === 'form' && serialization.isExploded && hasSeveralValues;
  return {
    ...commonFields,
    ...serialization,
    examples: readExamples(parameter, 'json').map((example) => example.value),
    ...(isUnknownStyle && { skipReason: new SkippedError(`the style ${serialization.style} in ${location}`, pointer) }),
    ...(isExplodedCookie && { skipReason: new SkippedError('cookies with several values', pointer) }),
  };
}

const QUERYSTRING_KINDS: readonly ContentKind[] = ['form', 'json', 'text'];

function readQuerystring(parameter: ResolvedObject): Serialization & Required<Pick<Parameter, 'content'>> {
  const { pointer } = parameter;
  const [content, second] = readContents(parameter);
  if (!content || second) throw new SkippedError('parameters in querystring without exactly one media type', pointer);
  const reason = `parameters in querystring with the media type ${content.mediaType}`;
  return {
    ...{ style: 'content', isExploded: false, pointer, schema: content.schema, content },
    ...(!QUERYSTRING_KINDS.includes(content.kind) && { skipReason: new SkippedError(reason, pointer) }),
  };
}

function listsType({ schema }: Serialization, type: string): boolean {
  return rulesOf(schema, 'type').some(({ value }) => toList(value).includes(type));
}

function readSerialization(owner: ResolvedObject, defaultStyle: string): Serialization {
  const { schema, style: ownStyle, explode } = owner.value;
  if (schema === undefined) return readJsonSerialization(owner);
  const style = toText(ownStyle ?? defaultStyle);
  return {
    style,
    // OpenAPI, Parameter Object: only the styles `form` and `cookie` are exploded by default.
    isExploded: explode === undefined ? style === 'form' || style === 'cookie' : explode === true,
    pointer: owner.pointer,
    schema: readSchema(owner),
  };
}

// OpenAPI, Parameter Object: these header parameters are ignored.
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];
// RFC 9112 section 6, RFC 9110 sections 7.2, 7.6.1, 8.4.1 and 10.1.1: the HTTP client sets these headers itself.
const LAYER_HEADERS = [
  ...['content-length', 'content-encoding', 'transfer-encoding', 'host', 'expect'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade'],
];

function isHeaderIn(names: readonly string[], { name, in: location }: Parameter): boolean {
  return location === 'header' && names.includes(name.toLowerCase());
}

function readJsonSerialization(owner: ResolvedObject): Serialization {
  const { pointer } = owner;
  const [[mediaType, content] = ['', owner] as const] = membersOf(owner, 'content');
  const isJson = isJsonType(essenceOf(mediaType)) && content.value['schema'] !== undefined;
  const result = { style: 'json', isExploded: false, pointer, schema: readSchema(isJson ? content : owner) };
  const reason = mediaType === '' ? 'without a schema' : `with the media type ${mediaType}`;
  return isJson ? result : { ...result, skipReason: new SkippedError(`parameters and headers ${reason}`, pointer) };
}

/** A security scheme that an operation requires. */
export interface Scheme {
  readonly name: string;
  readonly pointer: string;
  readonly kind: 'bearer' | 'basic' | 'apiKey';
  /** The location of an API key: `header`, `query` or `cookie`. */
  readonly in?: string;
  readonly parameter?: string;
  /** The required scopes, or roles for a scheme other than OAuth. */
  readonly scopes: readonly string[];
  readonly hasUnscoped: boolean;
}

interface Security {
  /** A request must satisfy every scheme of one requirement. Leaves out requirements that the suite cannot satisfy. */
  readonly securityRequirements: readonly (readonly Scheme[])[];
  readonly skipReason?: SkippedError;
}

/** Returns one empty requirement if the contract declares none. Skips requirements that no request can satisfy. */
function readSecurity(contract: Contract, security: Json | undefined): Security {
  const requirements = toList(security).filter(isJsonObject);
  if (requirements.length === 0) return { securityRequirements: [[]] };
  const skipReasons: SkippedError[] = [];
  const securityRequirements = requirements.flatMap((requirement) =>
    attempt(
      () => [readRequirement(contract, requirement)],
      (reason) => {
        contract.skipped.add(reason);
        skipReasons.push(reason);
        return [];
      },
    ),
  );
  const [skipReason] = securityRequirements.length === 0 ? skipReasons : [];
  return { securityRequirements, ...(skipReason && { skipReason }) };
}

// A request needs all schemes of a requirement such as `{ oauth: ['read'], apiKey: [] }`.
function readRequirement(contract: Contract, requirement: JsonObject): Scheme[] {
  const schemes = Object.entries(requirement).map(([name, scopes]) =>
    readScheme(contract, name, toList(scopes).map(toText)),
  );
  // All schemes except API keys use the Authorization header, which a request can have only once.
  const [, second] = schemes.filter(({ kind }) => kind !== 'apiKey');
  if (second) throw new SkippedError('two security schemes that both need the header Authorization', second.pointer);
  return schemes;
}

function readScheme(contract: Contract, key: string, scopes: readonly string[]): Scheme {
  const componentPointer = extendPointer('#', 'components', 'securitySchemes', key);
  // OpenAPI 3.2, Security Requirement Object: a key can also be the URI of a scheme.
  const isUri = key.includes('#/') && findReferenced(contract.root, componentPointer) === undefined;
  const { value, pointer } = resolve(contract, isUri ? toFragment(contract, key) : componentPointer);
  const name = isUri ? unescapeKey(key.slice(key.lastIndexOf('/') + 1)) : key;
  if (!contract.hasCredentials(name))
    throw new SkippedError(`the security scheme ${name}, for which no credentials were given`, pointer);
  const hasUnscoped = contract.hasUnscoped(name);
  if (scopes.length > 0 && !hasUnscoped)
    contract.skipped.add({
      reason: `the scopes of ${name} (give a token without scopes with --unscoped-token-env)`,
      pointer,
    });
  const commonFields = { name, pointer, scopes, hasUnscoped };
  const type = toText(value['type']);
  const kind = type === 'http' ? `http ${toText(value['scheme']).toLowerCase()}` : type;
  switch (kind) {
    case 'apiKey':
      return { ...commonFields, kind: 'apiKey', in: toText(value['in']), parameter: toText(value['name']) };
    case 'http basic':
      return { ...commonFields, kind: 'basic' };
    case 'http bearer':
    case 'oauth2':
    case 'openIdConnect':
      return { ...commonFields, kind: 'bearer' };
    default:
      throw new SkippedError(`security schemes of type ${kind}`, pointer);
  }
}
