import { types } from 'node:util';
import {
  ExpectedError,
  fromPointerKey,
  itemShape,
  propertyShape,
  type Credentials,
  type Shape,
} from '@contract-kit/contract';

/**
 * Each reason why the kit does not serve a request, with HTTP's own status for it (RFC 9110 section 15, RFC 6585). The
 * list is closed. A renderer makes the reply from it.
 *
 * @example const { status } = REFUSALS.UNKNOWN_PATH; // 404
 */
export const REFUSALS = {
  MALFORMED_REQUEST: {
    status: 400,
    meaning: 'The message is not well-formed HTTP, or its Host, Expect or Transfer-Encoding cannot be served.',
  },
  HEADERS_TOO_LARGE: { status: 431, meaning: 'The request line and headers are larger than the server reads.' },
  REQUEST_TIMEOUT: { status: 408, meaning: 'The request did not arrive in time.' },
  BODY_REQUIRED: { status: 400, meaning: 'The operation needs a request body and none was sent.' },
  BODY_TOO_LARGE: { status: 413, meaning: 'The request body is larger than the server accepts.' },
  UNSUPPORTED_MEDIA_TYPE: {
    status: 415,
    meaning: 'The Content-Type is not one that the operation lists, or its charset is not utf-8.',
  },
  UNSUPPORTED_CONTENT_ENCODING: {
    status: 415,
    meaning: 'The request body is compressed or encoded; only identity is accepted.',
  },
  INVALID_UTF8: { status: 400, meaning: 'The request body is not valid UTF-8.' },
  MALFORMED_JSON: { status: 400, meaning: 'The request body is not well-formed JSON.' },
  INVALID_BODY: { status: 400, meaning: 'The request body does not fit the schema of the operation.' },
  INVALID_PARAMETER: { status: 400, meaning: 'A parameter does not fit its schema, or is not listed.' },
  CREDENTIALS_MISSING: { status: 401, meaning: 'The request carries no credentials that the operation accepts.' },
  CREDENTIALS_INVALID: { status: 401, meaning: 'The credentials are malformed or not accepted.' },
  FORBIDDEN: { status: 403, meaning: 'The request is not allowed.' },
  UNKNOWN_PATH: { status: 404, meaning: 'No operation of the contract has this path.' },
  METHOD_NOT_ALLOWED: {
    status: 405,
    meaning: 'The path has no operation with this method; Allow lists those that it has.',
  },
  TOO_MANY_REQUESTS: { status: 429, meaning: 'The client sent too many requests.' },
  REFUSED_BY_SERVICE: { status: 400, meaning: 'The service refuses the request.' },
  INTERNAL_ERROR: { status: 500, meaning: 'The server failed; nothing is known to be wrong with the request.' },
  NOT_BUILT: { status: 501, meaning: 'The operation is not built yet.' },
  SERVICE_UNAVAILABLE: {
    status: 503,
    meaning: 'The server cannot serve the request now; try again after the time in Retry-After.',
  },
} as const satisfies Readonly<Record<string, { readonly status: number; readonly meaning: string }>>;

/**
 * The name of a refusal that the kit makes itself. A table with a row for each does not compile if one is missing.
 *
 * @example const NUMBERS: Readonly<Record<RefusalKind, number>> = { MALFORMED_REQUEST: 40000, HEADERS_TOO_LARGE: 40001, ... };
 */
export type RefusalKind = keyof typeof REFUSALS;

interface RefusalOptions extends ErrorOptions {
  readonly faults?: readonly Fault[] | undefined;
  readonly rule?: string | undefined;
  readonly status?: number | undefined;
}

// The field, and its rule, of a refusal that names none itself. A body that is refused always has a fault.
const FIELDS: Readonly<Partial<Record<RefusalKind, readonly [pointer: string, rule: string]>>> = {
  BODY_REQUIRED: ['/body', 'required'],
  BODY_TOO_LARGE: ['/body', 'size'],
  UNSUPPORTED_MEDIA_TYPE: ['/headers/content-type', 'contentType'],
  UNSUPPORTED_CONTENT_ENCODING: ['/headers/content-encoding', 'contentEncoding'],
  INVALID_UTF8: ['/body', 'utf8'],
  MALFORMED_JSON: ['/body', 'json'],
  INVALID_BODY: ['/body', 'schema'],
  // A JSON pointer to the whole request.
  INVALID_PARAMETER: ['', 'schema'],
};

/**
 * A reason not to serve a request. Details that only the log may have go into `cause`.
 *
 * @example new Refusal('INVALID_BODY', 'request/body/id must be integer')
 */
export class Refusal extends ExpectedError {
  readonly code = 'REQUEST_REFUSED';
  readonly kind: RefusalKind;
  /** The mistake in this request, for the client; undefined if the meaning of the kind is enough. */
  readonly detail: string | undefined;
  /** The wrong fields, at most ten; empty only if the refusal is about neither the body nor a parameter. */
  readonly faults: readonly Fault[];
  /** The rule that the request breaks, never a word of the client's; undefined where `faults` is empty. */
  readonly rule: string | undefined;
  /** The status of the error that a handler or middleware threw; undefined for a refusal of the kit, whose kind decides. */
  readonly status: number | undefined;

  constructor(kind: RefusalKind, detail?: string, options: RefusalOptions = {}) {
    super(detail ?? REFUSALS[kind].meaning, options);
    const { faults, rule, status } = options;
    const { [kind]: field } = FIELDS;
    this.kind = kind;
    this.detail = detail;
    this.status = status;
    this.rule = rule ?? faults?.[0]?.rule ?? field?.[1];
    this.faults = faults ?? (field ? [toFaultOfKind(field, rule, this.message)] : []);
  }
}

function toFaultOfKind(
  [pointer, ruleOfField]: readonly [string, string],
  rule: string | undefined,
  message: string,
): Fault {
  return { pointer, place: pointer, rule: rule ?? ruleOfField, message };
}

/** Why a request has no reply: its client left first. It is no refusal, since the request breaks no rule. */
export class ClientLeft extends ExpectedError {
  /** The status of the log and the metrics; nginx's, since HTTP has none. */
  static readonly status = 499;
}

/** Makes the refusal of a request with wrong fields. By default, the first one decides whether the body or a parameter is wrong. */
export function toFaultRefusal(
  faults: readonly Fault[],
  kind: RefusalKind = faults[0]?.pointer.startsWith('/body') === true ? 'INVALID_BODY' : 'INVALID_PARAMETER',
): Refusal {
  return new Refusal(kind, faults.map(({ message }) => message).join(', '), { faults });
}

/** Makes the refusal of a body that overflowed the stack: a recursive schema accepts any depth. */
export function toDepthRefusal(): Refusal {
  return new Refusal('INVALID_BODY', 'request/body is nested too deeply', { rule: 'depth' });
}

/**
 * Makes the refusal of what a handler or middleware threw. As for Express, `expose: true` says that the status and the message of
 * an error are for the client (http-errors sets it below 500): another service's 404 is not that of this service.
 */
export function toRefusal(cause: unknown, isUnavailable: (cause: unknown) => boolean = () => false): Refusal {
  if (cause instanceof Refusal) return cause;
  try {
    if (isTrue(isUnavailable(cause))) return new Refusal('SERVICE_UNAVAILABLE', undefined, { cause });
  } catch (failure) {
    return new Refusal('INTERNAL_ERROR', undefined, {
      cause: new Error(`isUnavailable failed: ${String(failure)}`, { cause }),
    });
  }
  const { status, expose, type, message }: ThrownError = cause instanceof Error ? cause : {};
  const kind = KINDS_BY_TYPE.get(type);
  if (kind) return new Refusal(kind, undefined, { cause });
  // As Express throws it for a path that is not percent-encoding.
  if (cause instanceof URIError && status === 400) return new Refusal('MALFORMED_REQUEST', undefined, { cause });
  const isForClient = expose === true && Number.isInteger(status) && Number(status) >= 400 && Number(status) < 600;
  if (!isForClient) return new Refusal('INTERNAL_ERROR', undefined, { cause });
  const detail = message === '' ? undefined : message;
  return new Refusal(KINDS_BY_STATUS[Number(status)] ?? 'REFUSED_BY_SERVICE', detail, {
    cause,
    status: Number(status),
  });
}

/** The answer of a team's function. A promise, which JavaScript allows, counts as false, and its rejection ends nothing. */
export function isTrue(answer: unknown): boolean {
  if (types.isPromise(answer)) answer.catch(() => undefined);
  return answer === true;
}

interface ThrownError {
  readonly status?: unknown;
  readonly expose?: unknown;
  readonly type?: unknown;
  readonly message?: string;
}

/** @param methods those that the path has, which browsers do not show of `Allow` */
export function toMethodRefusal(methods: readonly string[]): Refusal {
  return new Refusal('METHOD_NOT_ALLOWED', `The path has no operation with this method; it has ${methods.join(', ')}.`);
}

// What Express's parsers of bodies refuse, the kit refuses likewise.
const KINDS_BY_TYPE: ReadonlyMap<unknown, RefusalKind> = new Map([
  ['entity.parse.failed', 'MALFORMED_JSON'],
  ['entity.too.large', 'BODY_TOO_LARGE'],
  ['encoding.unsupported', 'UNSUPPORTED_CONTENT_ENCODING'],
  ['charset.unsupported', 'UNSUPPORTED_MEDIA_TYPE'],
]);

const KINDS_BY_STATUS: Readonly<Partial<Record<number, RefusalKind>>> = {
  401: 'CREDENTIALS_INVALID',
  403: 'FORBIDDEN',
  429: 'TOO_MANY_REQUESTS',
  503: 'SERVICE_UNAVAILABLE',
};

/** The credentials are valid, and lack scopes that the operation asks for (RFC 6750 section 3.1). */
export class ScopeRefusal extends Refusal {
  /** The scopes that the alternative asks of bearer tokens, joined by spaces; undefined if it asks for none. */
  readonly bearerScopes: string | undefined;
  /** Those whose scopes do not suffice, for the log. */
  readonly identities: readonly { readonly subject?: unknown }[];

  /** @param alternative of the operation's security, whose schemes were met */
  constructor(alternative: readonly Credentials[], identities: ScopeRefusal['identities']) {
    const joinScopes = (credentials: readonly Credentials[]): string =>
      credentials.flatMap(({ scopes }) => scopes).join(' ');
    super('FORBIDDEN', `The credentials lack one of the scopes: ${joinScopes(alternative)}`);
    this.bearerScopes = joinScopes(alternative.filter(({ challenge }) => challenge === 'Bearer')) || undefined;
    this.identities = identities;
  }
}

/** A field of a request that breaks a rule, without the field's value. */
export interface RequestFault {
  /** A JSON pointer (RFC 6901) into the request, such as `/body/tags/0`. The client may have chosen names in it. */
  readonly pointer: string;
  /** The keyword of the schema, such as `maxLength`, or the kit's own word for a rule. */
  readonly rule: string;
  /** The error message, such as `request/body/tags/0 must be string`. */
  readonly message: string;
}

/** A field of a request that breaks a rule, with its place in the contract. */
export interface Fault extends RequestFault {
  /** The pointer without what the client chose: `*` stands for an index, and for a name that the contract does not declare. */
  readonly place: string;
}

/** The largest number of wrong fields in a reply. */
export const MAX_FAULTS = 10;

// A client may choose names as long as its body, and several faults may be below one of them.
const MAX_POINTER_CHARACTERS = 200;

export function shortenPointer(pointer: string): string {
  return pointer.length > MAX_POINTER_CHARACTERS ? `${pointer.slice(0, MAX_POINTER_CHARACTERS)}...` : pointer;
}

/** Adds the faults of fields that `known` lacks; the result has one fault for each field, and ten at most. */
export function addFaults(known: readonly RequestFault[], faults: Iterable<RequestFault>): RequestFault[] {
  const all = [...known];
  for (const fault of faults) {
    const index = all.findIndex(({ pointer }) => pointer === fault.pointer);
    if (index === -1 && all.length === MAX_FAULTS) break;
    // The last of several added faults of a field stays: for anyOf it is that no alternative matches.
    if (index === -1) all.push(fault);
    else if (index >= known.length) all[index] = fault;
  }
  return all;
}

/** Makes a fault that the kit found itself, such as `toRequestFault('/body/id', 'readOnly', 'is readOnly, and must not be sent')`. */
export function toRequestFault(pointer: string, rule: string, problem: string): RequestFault {
  const shortened = shortenPointer(pointer);
  return { pointer: shortened, rule, message: `request${shortened} ${problem}` };
}

/** @param shape of the whole request */
export function toFault(shape: Shape, found: RequestFault): Fault {
  return { ...found, place: toPlace(shape, found.pointer) };
}

/** `/body/tags/0` becomes `/body/tags/*`: an index, or a name that the contract does not declare, is the client's. */
export function toPlace(root: Shape, pointer: string): string {
  let shape: Shape | undefined = root;
  let place = '';
  // A pointer begins with a slash.
  for (const segment of pointer.split('/').slice(1)) {
    const name = fromPointerKey(segment);
    const declared: Shape | undefined = shape?.properties.get(name);
    // The first segment is a group of parameters or the body, whether the operation declares one or not.
    const isNamed = place === '' || declared !== undefined || shape?.excluded.has(name) === true;
    place += isNamed ? `/${segment}` : '/*';
    shape = declared ?? propertyShape(shape, name) ?? itemShape(shape, Number(name));
  }
  return place;
}
