// The state of a journey: what a run did with the things of one resource, and knows of them.
import type { Case } from '../case';
import { findReply, type Operation, type Parameter } from '../contract/model';
import { validRequest, type Difference } from '../generators/valid-request';
import { includes } from '../level';
import { CHECKS, type CheckName } from '../oracle/checks';
import { runCase, type CaseResult, type Tools } from '../run-case';
import type { JsonObject } from '../wire/json';
import type { ParameterText } from '../wire/parameter';
import type { WireReply } from '../wire/reply';
import type { WireRequest } from '../wire/request';
import type { Lifecycle } from './lifecycle';
import type { Link } from './links';
import type { Representation } from './representation';
import { isIfMatch, type Thing } from './thing';
import type { Things } from './things';

/** What a run does with the things of one resource, and what it knows of them. */
export interface Journey {
  readonly tools: Tools;
  readonly things: Things;
  readonly lifecycle: Lifecycle;
  readonly made: Known[];
}

/** Something that the run made, and all that is known of it. */
export interface Known {
  readonly thing: Thing;
  /** What clients said of it; undefined where nobody can tell what a change comes to. */
  sent: JsonObject | undefined;
  /** What was shown of it last. */
  shown: Representation | undefined;
  /** The latest change, until it is read. */
  change: Change | undefined;
  tag: string | undefined;
  /** Tags that it had. */
  readonly oldTags: string[];
  isGone: boolean;
}

export interface Change {
  readonly before: Representation | undefined;
  /** What a merge patch names. */
  readonly patched: ReadonlySet<string> | undefined;
}

/** How a request of a journey differs from one with nothing optional. */
export interface Step extends Pick<Difference, 'body' | 'content'> {
  readonly label: string;
  /** What `If-Match` says; nothing where it is undefined. */
  readonly tag?: string | undefined;
  /** Instead of the target that follows from the contract. */
  readonly target?: string;
  readonly parameters?: ReadonlyMap<Parameter, ParameterText>;
}

/** Sends a request about something that the run made. */
export async function callOn(journey: Journey, link: Link, { thing }: Known, step: Step): Promise<CaseResult> {
  const { tools, things } = journey;
  const values = await things.bind(link, { ...thing, tag: step.tag });
  const bound = new Set([...link.origins.keys()]);
  if (step.tag !== undefined) for (const parameter of link.operation.parameters.filter(isIfMatch)) bound.add(parameter);
  return send(
    tools,
    link.operation,
    validRequest(values ?? tools.values, link.operation, withoutOptional(link.operation, bound, step)),
    step,
  );
}

/** A request without anything that may be left out. */
export function withoutOptional({ parameters }: Operation, bound: ReadonlySet<Parameter>, step: Step): Difference {
  const left = parameters
    .filter((parameter) => !parameter.isRequired && !bound.has(parameter))
    .map((parameter) => [parameter, {}] as const);
  return {
    parameters: new Map<Parameter, ParameterText>([...left, ...(step.parameters ?? [])]),
    ...('body' in step && { body: step.body }),
    ...(step.content && { content: step.content }),
  };
}

export function send(tools: Tools, operation: Operation, request: WireRequest, step: Step): Promise<CaseResult> {
  const derived: Case = {
    operation: operation.id,
    class: 'stateful',
    pointer: operation.pointer,
    label: step.label,
    covers: [],
    request: step.target === undefined ? request : { ...request, target: step.target },
    expect: 'accepted',
  };
  return runCase(tools.oracle, tools.target, derived);
}

/** A result, with what else is wrong with it, as far as that counts at the level of the run. */
export function withFindings(
  { tools: { oracle } }: Pick<Journey, 'tools'>,
  result: CaseResult,
  wrong: readonly (readonly [check: CheckName, text: string])[],
): CaseResult {
  const found = wrong
    .filter(([check]) => includes(oracle.level, CHECKS[check].level))
    .map(([check, text]) => ({ check, text }));
  return { ...result, findings: [...result.findings, ...found] };
}

/** The reply that a step had; undefined where there was none, or none that says anything. */
export function replyOf({ replies }: CaseResult): WireReply | undefined {
  return replies.find(({ status }) => status !== 429);
}

/** Whether a request did what it was for, and at once: 202 says that it may still be done. */
export function isDone(reply: WireReply | undefined): reply is WireReply {
  return reply !== undefined && reply.status < 300 && reply.status !== 202;
}

/** Whether the contract says that something may not be there (any more). */
export function declaresAbsence(operation: Operation): boolean {
  return [404, 410].some((status) => findReply(operation, status) !== undefined);
}
