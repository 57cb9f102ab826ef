// Finds what makes a request cost more than its size deserves.
import type { Document, Mistake, Schema } from '@contract-kit/server/contract';
import type { VulnerableDiagnostics } from 'recheck/lib/browser.js';
import { findCircles } from './find-circles';
import { createPatternJudge, type PatternJudge } from './judge-pattern';
import { findUnicodeError, patternsOf } from './pattern-advice';
import { findRequestSchemas } from './request-schemas';
import { isUntaggedRecursion } from './untagged-recursion';

/** Advice whose message differs only in what it names from others of its cause, with which it is printed. */
export interface CostAdvice extends Pick<Mistake, 'node' | 'key' | 'message'> {
  readonly cause: string;
}

/** Finds slow patterns, arrays without a bound whose items must be unique, and recursion that each level multiplies. */
export function findCostAdvice(document: Document, judge = createPatternJudge()): CostAdvice[] {
  const schemas = findRequestSchemas(document);
  const circles = findCircles(document, schemas);
  return [...schemas].flatMap((schema) => [
    ...findSlowPatterns(schema, judge),
    ...findSlowArrays(schema),
    ...(['anyOf', 'oneOf'] as const)
      .filter((keyword) => isUntaggedRecursion(document, circles, schema, keyword))
      .map((key) => ({ node: schema, key, message: UNTAGGED, cause: UNTAGGED })),
  ]);
}

const UNTAGGED =
  'several of these alternatives lead back here, so that each level of a value is tried with each of them: add a discriminator, or a property that all of them require, whose const tells them apart; without it the service refuses bodies deeper than its bound';
const NO_BOUND = 'other tools compare each item with all others for uniqueItems: bound their number by maxItems';
const NOT_JUDGED = 'is not judged: whether this pattern backtracks was not found out in time; write a simpler one';
const WRITE_BETTER =
  'begin the pattern with ^ and let no two of its repeats match the same text, as "^a+$" instead of "^(a+)+$"';

function findSlowArrays(schema: Schema): CostAdvice[] {
  if (schema.uniqueItems !== true || schema.maxItems !== undefined) return [];
  return [{ node: schema, key: 'uniqueItems', message: NO_BOUND, cause: NO_BOUND }];
}

function findSlowPatterns(schema: Schema, judge: PatternJudge): CostAdvice[] {
  return patternsOf(schema).flatMap(({ pattern, ...place }) => {
    // The service compiles it with the flag, too, if it can.
    const verdict = judge(pattern, findUnicodeError(pattern) === undefined ? 'u' : '');
    if (verdict?.status === 'safe') return [];
    if (!verdict) return [{ ...place, message: NOT_JUDGED, cause: NOT_JUDGED }];
    const { complexity, attack } = verdict;
    const start = `backtracks: the time for ${toExpression(attack)} grows`;
    if (complexity.type === 'exponential') {
      return [{ ...place, message: `${start} exponentially with n; ${WRITE_BETTER}`, cause: 'exponential patterns' }];
    }
    const power = `${start} with n^${String(complexity.degree)}`;
    // A maxLength does not bound the names of properties.
    const isForNames = place.node !== schema;
    if (isForNames) return [{ ...place, message: `${power}; ${WRITE_BETTER}`, cause: 'slow patterns of names' }];
    const harmlessLength = Math.floor(Math.min(MAX_HARMLESS_LENGTH, MAX_HARMLESS_STEPS ** (1 / complexity.degree)));
    if (Number(schema.maxLength) <= harmlessLength) return [];
    const message = `${power}; add a maxLength of at most ${String(harmlessLength)}, or ${WRITE_BETTER}`;
    return [{ ...place, message, cause: 'slow patterns' }];
  });
}

// A text of 100 characters takes less than 0.1 s with n^4, and a second with n^5.
const MAX_HARMLESS_LENGTH = 100;
const MAX_HARMLESS_STEPS = MAX_HARMLESS_LENGTH ** 4;

/** Writes the slow texts as JavaScript, such as `"a".repeat(n) + "\u{0}"`. */
function toExpression({ pumps, suffix }: VulnerableDiagnostics['attack']): string {
  const parts = pumps.flatMap(({ prefix, pump }) => [quote(prefix), `${quote(pump)}.repeat(n)`]);
  return [...parts, quote(suffix)].filter((part) => part !== '""').join(' + ');
}

const MAX_QUOTED = 20;

// ASCII only: some characters command a terminal.
function quote(text: string): string {
  const escaped = text.replace(/[^ !#-[\]-~]/gu, (one) => `\\u{${Number(one.codePointAt(0)).toString(16)}}`);
  return `"${escaped.length > MAX_QUOTED ? `${escaped.slice(0, MAX_QUOTED)}...` : escaped}"`;
}
