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
 * The reasons for which the kit refuses a request, and HTTP's own status for each (RFC 9110 section 15, RFC 6585).
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
 * The kind of a refusal. A record that is keyed by it does not compile if a kind is missing.
 *
 * @example const NUMBERS: Readonly<Record<RefusalKind, number>> = { MALFORMED_REQUEST: 40000, HEADERS_TOO_LARGE: 40001, ... };
 */
export type RefusalKind = keyof typeof REFUSALS;

interface RefusalOptions extends ErrorOptions {
  readonly faults?: readonly Fault[] | undefined;
  readonly rule?: string | undefined;
  readonly status?: number | undefined;
}

// The default field and rule of a kind, so that every refusal about a body or a parameter has a fault.
const FIELDS: Readonly<Partial<Record<RefusalKind, readonly [pointer: string, rule: string]>>> = {
  BODY_REQUIRED: ['/body', 'required'],
  BODY_TOO_LARGE: ['/body', 'size'],
  UNSUPPORTED_MEDIA_TYPE: ['/headers/content-type', 'contentType'],
  UNSUPPORTED_CONTENT_ENCODING: ['/headers/content-encoding', 'contentEncoding'],
  INVALID_UTF8: ['/body', 'utf8'],
  MALFORMED_JSON: ['/body', 'json'],
  INVALID_BODY: ['/body', 'schema'],
  // The empty pointer stands for the whole request.
  INVALID_PARAMETER: ['', 'schema'],
};

/**
 * Thrown to refuse a request. Anything that clients must not see belongs in `cause`, which is only logged.
 *
 * @example new Refusal('INVALID_BODY', 'request/body/id must be integer')
 */
export class Refusal extends ExpectedError {
  readonly code = 'REQUEST_REFUSED';
  readonly kind: RefusalKind;
  /** Tells the client what is wrong with this request; undefined if the kind says enough. */
  readonly detail: string | undefined;
  /** The invalid fields, at most ten. Empty if the refusal is not about the body or a parameter. */
  readonly faults: readonly Fault[];
  /** The rule that the request breaks, without anything from the client. */
  readonly rule: string | undefined;
  /** The status of an error that a handler or middleware threw; undefined for the kit's own refusals. */
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

/** Thrown if the client left before it got its reply. This is not a refusal, because the request breaks no rule. */
export class ClientLeft extends ExpectedError {
  /** The status in the log and the metrics. HTTP has none for this case, so it is the status that nginx uses. */
  static readonly status = 499;
}

/** Creates a refusal for invalid fields. By default, the first field determines the kind. */
export function toFaultRefusal(
  faults: readonly Fault[],
  kind: RefusalKind = faults[0]?.pointer.startsWith('/body') === true ? 'INVALID_BODY' : 'INVALID_PARAMETER',
): Refusal {
  return new Refusal(kind, faults.map(({ message }) => message).join(', '), { faults });
}

/** Creates the refusal for a body that overflowed the stack, which can happen if a recursive schema allows any depth. */
export function toDepthRefusal(): Refusal {
  return new Refusal('INVALID_BODY', 'request/body is nested too deeply', { rule: 'depth' });
}

/**
 * Converts an error from a handler or middleware to a refusal. As in Express, the client sees the error's status and message only
 * with `expose: true`, which http-errors sets below 500. Otherwise another service's 404 would become this service's 404.
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
  // Express throws a URIError for a path with malformed percent-encoding.
  if (cause instanceof URIError && status === 400) return new Refusal('MALFORMED_REQUEST', undefined, { cause });
  const isForClient = expose === true && Number.isInteger(status) && Number(status) >= 400 && Number(status) < 600;
  if (!isForClient) return new Refusal('INTERNAL_ERROR', undefined, { cause });
  const detail = message === '' ? undefined : message;
  return new Refusal(KINDS_BY_STATUS[Number(status)] ?? 'REFUSED_BY_SERVICE', detail, {
    cause,
    status: Number(status),
  });
}

/** Whether a team's function returned true. A promise is treated as false, and its rejection is ignored. */
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

/** Creates a refusal whose message lists the path's methods, because browsers do not show the Allow header. */
export function toMethodRefusal(methods: readonly string[]): Refusal {
  return new Refusal('METHOD_NOT_ALLOWED', `The path has no operation with this method; it has ${methods.join(', ')}.`);
}

// The kinds for the types of errors from Express's body parsers.
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

/** Thrown if valid credentials lack scopes that the operation requires (RFC 6750 section 3.1). */
export class ScopeRefusal extends Refusal {
  /** The scopes that bearer tokens need, joined by spaces; undefined if they need none. */
  readonly bearerScopes: string | undefined;
  readonly identities: readonly { readonly subject?: unknown }[];

  /** @param alternative the alternative whose schemes all have valid credentials */
  constructor(alternative: readonly Credentials[], identities: ScopeRefusal['identities']) {
    const joinScopes = (credentials: readonly Credentials[]): string =>
      credentials.flatMap(({ scopes }) => scopes).join(' ');
    super('FORBIDDEN', `The credentials lack one of the scopes: ${joinScopes(alternative)}`);
    this.bearerScopes = joinScopes(alternative.filter(({ challenge }) => challenge === 'Bearer')) || undefined;
    this.identities = identities;
  }
}

/** A field of a request that breaks a rule. The field's value is never included. */
export interface RequestFault {
  /** A JSON pointer (RFC 6901) into the request, such as `/body/tags/0`. It can contain names from the client. */
  readonly pointer: string;
  /** A schema keyword, such as `maxLength`, or the kit's own name for a rule. */
  readonly rule: string;
  /** The error message, such as `request/body/tags/0 must be string`. */
  readonly message: string;
}

/** A RequestFault with its place in the contract. */
export interface Fault extends RequestFault {
  /** The pointer, with `*` in place of indexes and of names that the contract does not declare. */
  readonly place: string;
}

/** The maximum number of invalid request fields that a reply lists. */
export const MAX_FAULTS = 10;

// The longest reported pointer. A name can be as long as the client's body, and several faults can be below that name.
const MAX_POINTER_CHARACTERS = 200;

export function shortenPointer(pointer: string): string {
  return pointer.length > MAX_POINTER_CHARACTERS ? `${pointer.slice(0, MAX_POINTER_CHARACTERS)}...` : pointer;
}

/** Adds the faults of fields that `first` does not have. The result has one fault per field, and at most ten faults. */
export function addFaults(first: readonly RequestFault[], faults: Iterable<RequestFault>): RequestFault[] {
  const allFaults = [...first];
  for (const fault of faults) {
    const index = allFaults.findIndex(({ pointer }) => pointer === fault.pointer);
    if (index === -1 && allFaults.length === MAX_FAULTS) break;
    // A field's last fault is kept. With anyOf, it says that no alternative matches.
    if (index === -1) allFaults.push(fault);
    else if (index >= first.length) allFaults[index] = fault;
  }
  return allFaults;
}

/** Creates one of the kit's own faults. @example toRequestFault('/body/id', 'readOnly', 'is readOnly, and must not be sent') */
export function toRequestFault(pointer: string, rule: string, problem: string): RequestFault {
  const shortPointer = shortenPointer(pointer);
  return { pointer: shortPointer, rule, message: `request${shortPointer} ${problem}` };
}

/** Adds a fault's place in the contract. @param shape the shape of the whole request */
export function toFault(shape: Shape, fault: RequestFault): Fault {
  return { ...fault, place: toPlace(shape, fault.pointer) };
}

/** Replaces indexes and undeclared names, which the client chooses. For example, `/body/tags/0` becomes `/body/tags/*`. */
export function toPlace(root: Shape, pointer: string): string {
  let shape: Shape | undefined = root;
  let place = '';
  for (const segment of pointer.split('/').slice(1)) {
    const name = fromPointerKey(segment);
    const declared: Shape | undefined = shape?.properties.get(name);
    // The first segment is always the body or a group of parameters, even if the operation does not declare it.
    const isNamed = place === '' || declared !== undefined || shape?.excluded.has(name) === true;
    place += isNamed ? `/${segment}` : '/*';
    shape = declared ?? propertyShape(shape, name) ?? itemShape(shape, Number(name));
  }
  return place;
}
