// Reads one operation of a contract into the model.
import { objectOrEmpty, toText, isJsonObject, type JsonObject, type Json } from '../wire/json';
import type { OtherServer } from '../wire/request';
import { extendPointer } from './pointer';
import { essenceOf, isJsonType } from '../wire/media-type';
import { readContents, type Content } from './read-content';
import { resolve, toList, type Contract } from './read-contract';
import { SkippedError, attempt } from './skipped';
import { createUnrestrictedSchema, readSchema, rulesOf, type Schema } from './schema';

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** An operation of the contract, as the suite reads it. */
export interface Operation extends Security {
  readonly id: string;
  /** The HTTP method in upper case. */
  readonly method: string;
  readonly path: string;
  /** Its server, where the path of that is not the one of the contract's. */
  readonly server: OtherServer | undefined;
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  /** The declared replies by status: `200`, `4XX` or `default`. */
  readonly replies: ReadonlyMap<string, Reply>;
}

export interface Body {
  readonly isRequired: boolean;
  readonly pointer: string;
  readonly contents: readonly [Content, ...Content[]];
  /** The largest body in bytes, from `x-body-limit`; undefined without it. */
  readonly limit: number | undefined;
}

export interface Reply {
  readonly pointer: string;
  /** The content of each media type; empty for a reply without a body. */
  readonly contents: readonly Content[];
  /** The headers by name in lower case. */
  readonly headers: ReadonlyMap<string, ReplyHeader>;
}

export interface ReplyHeader extends Text {
  /** The name as the contract spells it. */
  readonly name: string;
  readonly isRequired: boolean;
}

/**
 * @param pathItem the pointer to the path item, such as `#/paths/~1books`
 * @throws SkippedError when the suite cannot read the operation
 */
export function readOperation(contract: Contract, pathItem: string, path: string, method: string): Operation {
  const pointer = extendPointer(pathItem, method);
  const { value } = resolve(contract, pointer);
  const { operationId, responses, requestBody } = value;
  const pathItemParameters = readParameters(contract, pathItem);
  const operationParameters = readParameters(contract, pointer);
  // Location and name identify a parameter; the operation's own ones, the last, override those of the path item.
  const parameters = new Map(
    [...pathItemParameters, ...operationParameters].map((parameter) => [
      `${parameter.in} ${parameter.name}`,
      parameter,
    ]),
  );
  const statuses = Object.keys(objectOrEmpty(responses)).filter((status) => !status.startsWith('x-'));
  return {
    id: typeof operationId === 'string' ? operationId : `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    server: readServer(contract, [value, resolve(contract, pathItem).value]),
    pointer,
    ...readSecurity(contract, value['security'] ?? contract.root['security']),
    parameters: [...parameters.values()].filter((parameter) => !isIgnoredHeader(parameter)),
    body: requestBody === undefined ? undefined : readBody(contract, extendPointer(pointer, 'requestBody')),
    replies: new Map(
      statuses.map((status) => [status, readReply(contract, extendPointer(pointer, 'responses', status))]),
    ),
  };
}

/** @param owners the operation and its path item, whose `servers` replace those of the contract */
function readServer({ root }: Contract, owners: readonly JsonObject[]): OtherServer | undefined {
  const [path = '', contractPath = ''] = [[...owners, root], [root]].map(toServerPath);
  return path === contractPath ? undefined : { contractPath, path };
}

/** The path of the first server that any of the owners lists (OpenAPI, Server Object), with the defaults of its variables. */
function toServerPath(owners: readonly JsonObject[]): string {
  const { url, variables } = objectOrEmpty(owners.flatMap(({ servers }) => toList(servers))[0]);
  const filledUrl = toText(url ?? '').replace(/\{([^{}]*)\}/g, (_all, name: string) =>
    toText(objectOrEmpty(objectOrEmpty(variables)[name])['default'] ?? ''),
  );
  return URL.parse(filledUrl, 'http://localhost')?.pathname.replace(/\/+$/, '') ?? '';
}

function readParameters(contract: Contract, pointer: string): Parameter[] {
  const { parameters } = resolve(contract, pointer).value;
  return toList(parameters).map((_one, index) => readParameter(contract, extendPointer(pointer, 'parameters', index)));
}

function readBody(contract: Contract, writtenPointer: string): Body {
  const { value, pointer } = resolve(contract, writtenPointer);
  const [first, ...others] = readContents(contract, pointer);
  if (!first) throw new SkippedError('bodies without content', pointer);
  const limit = readSize(value['x-body-limit']);
  return { isRequired: value['required'] === true, pointer, contents: [first, ...others], limit };
}

/** Reads a size such as `20mb`; undefined for anything else. */
function readSize(text: Json | undefined): number | undefined {
  const [, digits, unit = ''] = /^(\d+)([kmg]?)b$/i.exec(typeof text === 'string' ? text : '') ?? [];
  return digits === undefined ? undefined : Number(digits) * 1024 ** ' kmg'.indexOf(unit.toLowerCase() || ' ');
}

function readReply(contract: Contract, writtenPointer: string): Reply {
  const { value, pointer } = resolve(contract, writtenPointer);
  const contents = readContents(contract, pointer).map(withoutForm);
  // OpenAPI, Response Object: a header Content-Type is ignored.
  const names = Object.keys(objectOrEmpty(value['headers'])).filter((name) => name.toLowerCase() !== 'content-type');
  const headers = names.map((name): [string, ReplyHeader] => {
    const header = resolve(contract, extendPointer(pointer, 'headers', name));
    // OpenAPI, Header Object: `simple` is the only style of headers.
    const text = readText(contract, header.pointer, 'simple');
    return [name.toLowerCase(), { ...text, name, isRequired: header.value['required'] === true }];
  });
  return { pointer, contents, headers: new Map(headers) };
}

// The suite cannot read URL-encoded forms in replies.
function withoutForm(content: Content): Content {
  return content.kind === 'form' ? { ...content, kind: 'other' } : content;
}

/** How a value is serialized as text. */
export interface Text {
  /** A style of OpenAPI, or `json` for a parameter with JSON content. */
  readonly style: string;
  readonly isExploded: boolean;
  readonly pointer: string;
  readonly schema: Schema;
  /** Why the suite cannot write or read it. */
  readonly skipReason?: SkippedError;
}

export interface Parameter extends Text {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly isRequired: boolean;
}

// OpenAPI, Style Values: the styles of each location, the default first.
const STYLES: Readonly<Record<Parameter['in'], readonly [usual: string, ...others: string[]]>> = {
  path: ['simple', 'label', 'matrix'],
  header: ['simple'],
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
};

/** @throws SkippedError when its location is unknown */
function readParameter(contract: Contract, writtenPointer: string): Parameter {
  const { value, pointer } = resolve(contract, writtenPointer);
  const location = value['in'] as Parameter['in'];
  if (!Object.hasOwn(STYLES, toText(location))) throw new SkippedError(`parameters in ${toText(location)}`, pointer);
  const text = readText(contract, pointer, STYLES[location][0]);
  const isUnknownStyle = text.style !== 'json' && !STYLES[location].includes(text.style);
  const hasSeveralValues = ['array', 'object'].some((type) => listsType(text, type));
  // An exploded array or object would need a cookie for each of its values.
  const isExplodedCookie = location === 'cookie' && text.isExploded && hasSeveralValues;
  return {
    name: toText(value['name']),
    in: location,
    isRequired: value['required'] === true || location === 'path',
    ...text,
    ...(isUnknownStyle && { skipReason: new SkippedError(`the style ${text.style} in ${location}`, pointer) }),
    ...(isExplodedCookie && { skipReason: new SkippedError('cookies with several values', pointer) }),
  };
}

// Whether the schema names the type; a schema without `type` names none.
function listsType({ schema }: Text, type: string): boolean {
  return rulesOf(schema, 'type').some(({ value }) => toList(value).includes(type));
}

function readText(contract: Contract, pointer: string, defaultStyle: string): Text {
  const { schema, content, style: ownStyle, explode } = resolve(contract, pointer).value;
  if (schema === undefined) return readJsonText(contract, pointer, objectOrEmpty(content));
  const style = toText(ownStyle ?? defaultStyle);
  return {
    style,
    // OpenAPI, Parameter Object: only the style `form` is exploded by default.
    isExploded: explode === undefined ? style === 'form' : explode === true,
    pointer,
    schema: readSchema(contract, extendPointer(pointer, 'schema')),
  };
}

// OpenAPI, Parameter Object: definitions of these headers are ignored.
const IGNORED_HEADERS = ['accept', 'content-type', 'authorization'];
// RFC 9112 section 6, RFC 9110 sections 7.2, 7.6.1 and 10.1.1: the client's HTTP layer sets these.
const CLIENT_HEADERS = [
  ...['content-length', 'transfer-encoding', 'host', 'expect'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'upgrade'],
];

function isIgnoredHeader({ name, in: location }: Parameter): boolean {
  return location === 'header' && [...IGNORED_HEADERS, ...CLIENT_HEADERS].includes(name.toLowerCase());
}

function readJsonText(contract: Contract, pointer: string, content: JsonObject): Text {
  const [mediaType = ''] = Object.keys(content);
  const { schema } = objectOrEmpty(content[mediaType]);
  const isJson = isJsonType(essenceOf(mediaType)) && schema !== undefined;
  const text = { style: 'json', isExploded: false, pointer };
  if (isJson) {
    return { ...text, schema: readSchema(contract, extendPointer(pointer, 'content', mediaType, 'schema')) };
  }
  const reason =
    mediaType === ''
      ? 'parameters and headers without a schema'
      : `parameters and headers with the media type ${mediaType}`;
  return { ...text, schema: createUnrestrictedSchema(contract), skipReason: new SkippedError(reason, pointer) };
}

/** A security scheme, as an operation requires it. */
export interface Scheme {
  readonly name: string;
  readonly pointer: string;
  readonly kind: 'bearer' | 'basic' | 'apiKey';
  /** The location of an API key (`in`): header, query or cookie; undefined for other schemes. */
  readonly in?: string;
  readonly parameter?: string;
  /** The scopes that the credentials need; roles for schemes other than OAuth. */
  readonly scopes: readonly string[];
  readonly hasUnscoped: boolean;
}

interface Security {
  /** A request satisfies one alternative, with all of its schemes. Alternatives without credentials are left out. */
  readonly securityRequirements: readonly (readonly Scheme[])[];
  /** Why no requirement is left. */
  readonly skipReason?: SkippedError;
}

/** Without any, the only requirement has no schemes. Those that cannot be sent are left out, as skipped. */
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

// Reads a Security Requirement Object such as `{ oauth: ['read'], apiKey: [] }`: a request needs all of its schemes.
function readRequirement(contract: Contract, requirement: JsonObject): Scheme[] {
  const schemes = Object.entries(requirement).map(([name, scopes]) =>
    readScheme(contract, name, toList(scopes).map(toText)),
  );
  // All kinds but API keys use the header Authorization, and a request may have only one.
  const [, second] = schemes.filter(({ kind }) => kind !== 'apiKey');
  if (second) throw new SkippedError('two security schemes that both need the header Authorization', second.pointer);
  return schemes;
}

function readScheme(contract: Contract, name: string, scopes: readonly string[]): Scheme {
  const { value, pointer } = resolve(contract, extendPointer('#', 'components', 'securitySchemes', name));
  if (!contract.hasCredentials(name))
    throw new SkippedError(`the security scheme ${name}, for which no credentials were given`, pointer);
  // Credentials without any scope are needed to show that the server checks scopes.
  const hasUnscoped = contract.hasUnscoped(name);
  if (scopes.length > 0 && !hasUnscoped)
    contract.skipped.add({
      reason: `the scopes of ${name} (give a token without scopes with --unscoped-token-env)`,
      pointer,
    });
  const common = { name, pointer, scopes, hasUnscoped };
  const type = toText(value['type']);
  const kind = type === 'http' ? `http ${toText(value['scheme']).toLowerCase()}` : type;
  switch (kind) {
    case 'apiKey':
      return { ...common, kind: 'apiKey', in: toText(value['in']), parameter: toText(value['name']) };
    case 'http basic':
      return { ...common, kind: 'basic' };
    case 'http bearer':
    case 'oauth2':
    case 'openIdConnect':
      return { ...common, kind: 'bearer' };
    default:
      throw new SkippedError(`security schemes of type ${kind}`, pointer);
  }
}
