import type { Operation } from '../contract/model';
import type { ImplementationDefined, Level } from '../contract/standards';
import type { Json } from '../wire/json';
import type { WireRequest } from '../wire/request';

export const CLASSES = [
  'positive',
  'negative',
  'malformed',
  'media-type',
  'auth',
  'method',
  'path',
  'parameter',
  'fault',
] as const;

/**
 * The classes of derived cases, of the valid requests that prove them, and of stateful scenarios.
 *
 * @example ALL_CLASSES.includes('stateful') // true
 */
export const ALL_CLASSES = [...CLASSES, 'control', 'stateful'] as const;

/** The class of a case, for `--only` and `--skip`. */
export type CaseClass = (typeof ALL_CLASSES)[number];

/** The kind of reply that a case expects. */
export type Expectation =
  /** A success that the contract declares. */
  | 'accepted'
  /** Any reply except a server error, because HTTP does not require a particular one. */
  | 'answered'
  /** A declared 4xx, but not for missing credentials. */
  | 'refused'
  | 'no credentials'
  | 'wrong credentials'
  /** Valid credentials without the required scopes: 403. */
  | 'insufficient scope'
  /** Refusals that HTTP defines: 404, and 405 with `Allow`. */
  | 'unknown path'
  | 'unknown method'
  /** Server errors that a test causes. */
  | 'failed'
  | 'unavailable'
  /** 501 or 503 from an operation without a handler. */
  | 'not built';

/** A request, the rule that it tests, and the expected reply. */
export interface Case {
  /** The operationId. */
  readonly operation: string;
  /** The method and path template, such as `GET /books/{id}`. */
  readonly place?: string;
  readonly class: CaseClass;
  /** The lowest level at which the case is sent; depends on its class by default. */
  readonly level?: Level | undefined;
  /** The JSON pointer of the tested rule. */
  readonly pointer: string;
  /** The schema keyword that is tested. */
  readonly keyword?: string | undefined;
  /** Number of values that enclose the tested part. */
  readonly depth?: number | undefined;
  readonly label: string;
  readonly request: WireRequest;
  readonly expect: Expectation;
  /** A clause that lets a server either accept or refuse the request. */
  readonly implementationDefined?: ImplementationDefined | undefined;
  /** The value that a handler must receive for the tested part; bytes are a Latin-1 string. */
  readonly interpretation?: Interpretation | undefined;
  /** The index of the security requirement that the credentials are for. */
  readonly requirement?: number | undefined;
  readonly situation?: Situation;
}

/** Decides whether a case is sent. */
export type CaseKind = Pick<Case, 'class' | 'expect' | 'implementationDefined'> & {
  readonly operation: Operation;
  /** Whether the request is for a resource that this run created. */
  readonly isOnCreatedResource?: boolean;
};

const HARMLESS_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'POST']);

/** Whether the method never changes or deletes existing resources. */
export function isHarmless({ method }: Pick<Operation, 'method'>): boolean {
  return HARMLESS_METHODS.has(method);
}

/** Whether a lenient server may treat the request as valid and execute it. */
export function mayBeValid({
  class: name,
  expect,
  implementationDefined: clause,
}: Omit<CaseKind, 'operation'>): boolean {
  return name === 'media-type' || clause !== undefined || ['accepted', 'answered', 'unknown path'].includes(expect);
}

/** A case without its operation and class. */
export type Draft = Omit<Case, 'operation' | 'class'>;

/** Changes to a valid request, and to the expectation, which is a refusal by default. */
export type Change = Partial<WireRequest> & Partial<Pick<Case, 'level' | 'expect' | 'implementationDefined'>>;

/** A row in a table of cases: a label, what is sent, and what the case does not share with the other rows. */
export type Row<Sent> = readonly [
  label: string,
  sent: Sent,
  more?: Partial<Pick<Case, 'level' | 'expect' | 'implementationDefined'>>,
];

export function changeRequest(
  pointer: string,
  label: string,
  request: WireRequest,
  { level, implementationDefined, expect = 'refused', ...change }: Change,
): Draft {
  return { pointer, label, request: { ...request, ...change }, expect, implementationDefined, level };
}

/** The value of a part of a request, according to the contract. */
export interface Interpretation {
  readonly place: 'path' | 'query' | 'querystring' | 'header' | 'cookie' | 'body';
  readonly name?: string;
  readonly value: Json;
}

/** What a test breaks in the server while it sends a case. */
export type Situation = 'broken' | 'away' | 'impatient';

// Default levels above `contract`, because servers may differ in how they treat malformed HTTP and media types.
const LEVEL_BY_CLASS: Partial<Readonly<Record<CaseClass, Level>>> = {
  malformed: 'robust',
  'media-type': 'robust',
};

export function levelOf({ class: name, level }: Pick<Case, 'class' | 'level'>): Level {
  return level ?? LEVEL_BY_CLASS[name] ?? 'contract';
}

/**
 * Returns a human-readable title.
 *
 * @example console.log(titleOf(suite.cases[0]))
 */
export function titleOf({ operation, class: kind, pointer, label }: Case): string {
  return `${operation} ${kind} ${pointer} ${label}`;
}
