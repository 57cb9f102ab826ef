// A case: one request, the rule that it tests, and what its reply has to be.
import type { LeftOpen } from './left-open';
import type { Level } from './level';
import type { Json } from './wire/json';
import type { WireRequest } from './wire/request';

export const CLASSES = [
  'positive',
  'negative',
  'malformed',
  'media',
  'size',
  'auth',
  'method',
  'path',
  'parameter',
  'repeat',
  'connection',
  'fault',
] as const;

/**
 * The classes of cases: those that are derived one by one, and the layers on top of them.
 *
 * @example ALL_CLASSES.includes('random') // true
 */
export const ALL_CLASSES = [...CLASSES, 'random', 'stateful'] as const;

/** What a case is about. */
export type CaseClass = (typeof ALL_CLASSES)[number];

/** What a reply has to be. */
export type Expectation =
  /** A success that the contract declares. */
  | 'accepted'
  /** Anything that is no failure of the server, where HTTP leaves open what. */
  | 'answered'
  /** A refusal of the 4xx class that the contract declares, but for want of credentials. */
  | 'refused'
  | 'no credentials'
  | 'wrong credentials'
  /** Right credentials that are not granted what the operation needs: 403. */
  | 'insufficient scope'
  /** The protocol's own: 404, and 405 with `Allow`. */
  | 'unknown path'
  | 'unknown method'
  /** The server's own failures, which somebody made happen. */
  | 'failed'
  | 'unavailable'
  /** A handler that nobody has written yet says so. */
  | 'not built';

/** One request, and what the contract says of the reply. */
export interface Case {
  /** The operationId. */
  readonly operation: string;
  readonly class: CaseClass;
  /** From which level on it is sent; that of its class unless it is there. */
  readonly level?: Level;
  /** The JSON pointer of the rule that the case comes from. */
  readonly pointer: string;
  readonly label: string;
  readonly request: WireRequest;
  /** What goes before it on the same connection. */
  readonly before?: Before;
  readonly expect: Expectation;
  /** The clause that lets a server take the request, and refuse it. */
  readonly leftOpen?: LeftOpen | undefined;
  /** The rules that the request stands at the edge of. */
  readonly covers: readonly string[];
  /** What a handler gets for the part of the request that the case is about; bytes as a text of their numbers. */
  readonly meant?: Meant;
  /** The kind of rule that the body breaks or keeps, for whoever compares verdicts. */
  readonly keyword?: string;
  /** The alternative of the operation's security that the credentials are for. */
  readonly alternative?: number;
  /** The methods that a 405 has to list. */
  readonly allow?: readonly string[];
  /** How often it is sent. */
  readonly times?: number;
  /** What has to be wrong with the server, by a name that its keeper knows. */
  readonly situation?: Situation;
}

/** A request that another one follows on its connection. */
export interface Before {
  readonly request: WireRequest;
  readonly expect: Expectation;
  /** Whether the other one follows at once, not when the reply is there. */
  readonly isPipelined: boolean;
  /** Whether it asks for the same in another form, so that it is found where the other one is. */
  readonly isSame?: boolean;
}

/** A part of a request, and the value that it has by the contract. */
export interface Meant {
  readonly place: 'path' | 'query' | 'header' | 'cookie' | 'body';
  /** Of a parameter. */
  readonly name?: string;
  readonly value: Json;
  /** Properties that were sent, and that a handler does not get. */
  readonly without?: readonly string[] | undefined;
}

/** What somebody who keeps the server can bring about, so that its own failures are seen too. */
export const SITUATIONS = ['broken', 'away', 'impatient'] as const;

/** What is wrong with the server while a case is sent. */
export type Situation = (typeof SITUATIONS)[number];

// HTTP that is broken, sizes and media types are for each server to deal with in its way.
const LEVELS_OF_CLASSES: Partial<Readonly<Record<CaseClass, Level>>> = {
  malformed: 'robust',
  size: 'robust',
  media: 'robust',
};

/** From which level on a case is sent. */
export function levelOf({ class: name, level }: Pick<Case, 'class' | 'level'>): Level {
  return level ?? LEVELS_OF_CLASSES[name] ?? 'contract';
}

/**
 * The title of a case, for people.
 *
 * @example console.log(titleOf(suite.cases[0]))
 */
export function titleOf({ operation, class: kind, pointer, label }: Case): string {
  return `${operation} ${kind} ${pointer} ${label}`;
}
