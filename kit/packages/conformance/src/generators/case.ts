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
 * The classes of cases: the derived ones, valid requests that prove them, and stateful scenarios.
 *
 * @example ALL_CLASSES.includes('stateful') // true
 */
export const ALL_CLASSES = [...CLASSES, 'control', 'stateful'] as const;

/** The class of a case. */
export type CaseClass = (typeof ALL_CLASSES)[number];

/** The expected kind of reply. */
export type Expectation =
  /** A success that the contract declares. */
  | 'accepted'
  /** Any reply except a failure of the server: HTTP leaves open which. */
  | 'answered'
  /** A declared 4xx, but not for missing credentials. */
  | 'refused'
  | 'no credentials'
  | 'wrong credentials'
  /** Valid credentials without the required scopes: 403. */
  | 'insufficient scope'
  /** HTTP's own refusals: 404, and 405 with `Allow`. */
  | 'unknown path'
  | 'unknown method'
  /** Failures of the server itself that a test causes. */
  | 'failed'
  | 'unavailable'
  /** 501 or 503 from an operation without a handler. */
  | 'not built';

/** One request, the rule that it tests, and the expected reply. */
export interface Case {
  /** The operationId. */
  readonly operation: string;
  /** The method and the path as in the contract, such as `GET /books/{id}`. */
  readonly place?: string;
  readonly class: CaseClass;
  /** The lowest level at which it is sent; the class's by default. */
  readonly level?: Level | undefined;
  /** The JSON pointer of the tested rule. */
  readonly pointer: string;
  /** The keyword of a tested schema rule, and how many values enclose the tested part. */
  readonly keyword?: string | undefined;
  readonly depth?: number | undefined;
  readonly label: string;
  readonly request: WireRequest;
  readonly expect: Expectation;
  /** The clause of a standard that lets a server accept or refuse the request. */
  readonly implementationDefined?: ImplementationDefined | undefined;
  /** The value that a handler must receive for the tested part of the request; bytes as a Latin-1 string. */
  readonly interpretation?: Interpretation | undefined;
  /** The index of the security requirement that the credentials are for. */
  readonly requirement?: number | undefined;
  readonly situation?: Situation;
}

/** What decides whether a case is wanted. */
export type CaseKind = Pick<Case, 'class' | 'expect' | 'implementationDefined'> & {
  readonly operation: Operation;
  /** Whether it is about something that this run created. */
  readonly isOnCreatedResource?: boolean;
};

const HARMLESS_METHODS = new Set(['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY', 'POST']);

/** Whether the method cannot change or delete anything that exists. */
export function isHarmless({ method }: Pick<Operation, 'method'>): boolean {
  return HARMLESS_METHODS.has(method);
}

/** Whether a lenient server may treat the request as valid, and do what it asks for. */
export function mayBeValid({ class: name, expect, implementationDefined: by }: Omit<CaseKind, 'operation'>): boolean {
  return name === 'media-type' || by !== undefined || ['accepted', 'answered', 'unknown path'].includes(expect);
}

/** A case before its operation and class are added. */
export type Draft = Omit<Case, 'operation' | 'class'>;

/** How a case differs from a request, and what it expects if not a refusal. */
export type Change = Partial<WireRequest> & Partial<Pick<Case, 'level' | 'expect' | 'implementationDefined'>>;

/** A label, what is sent, and how the case differs from the others of its kind. */
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

/** A part of a request, and its value according to the contract. */
export interface Interpretation {
  readonly place: 'path' | 'query' | 'querystring' | 'header' | 'cookie' | 'body';
  readonly name?: string;
  readonly value: Json;
}

/** What a test breaks in the server while a case is sent, to see how it fails. */
export type Situation = 'broken' | 'away' | 'impatient';

// Servers may treat malformed HTTP, sizes and media types in their own ways.
const LEVEL_BY_CLASS: Partial<Readonly<Record<CaseClass, Level>>> = {
  malformed: 'robust',
  'media-type': 'robust',
};

export function levelOf({ class: name, level }: Pick<Case, 'class' | 'level'>): Level {
  return level ?? LEVEL_BY_CLASS[name] ?? 'contract';
}

/**
 * The title of a case, for people.
 *
 * @example console.log(titleOf(suite.cases[0]))
 */
export function titleOf({ operation, class: kind, pointer, label }: Case): string {
  return `${operation} ${kind} ${pointer} ${label}`;
}
