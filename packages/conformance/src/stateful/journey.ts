// The state of a journey: a sequence of requests about one resource, and what they created.
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

/** A sequence of requests about one resource, and what they created. */
export interface Journey {
  readonly tools: Tools;
  readonly things: Things;
  readonly lifecycle: Lifecycle;
  readonly made: Known[];
}

/** A thing (one instance of a resource) that the run created, and its expected state. */
export interface Known {
  readonly thing: Thing;
  /** The property values that clients sent; undefined when a change has an unknown result. */
  sent: JsonObject | undefined;
  /** The representation in the latest reply. */
  shown: Representation | undefined;
  /** The latest change, until it is read back. */
  change: Change | undefined;
  tag: string | undefined;
  /** Earlier entity tags. */
  readonly oldTags: string[];
  isGone: boolean;
}

export interface Change {
  readonly before: Representation | undefined;
  /** The properties in a merge patch. */
  readonly patched: ReadonlySet<string> | undefined;
}

/** How a request of a journey differs from one without anything optional. */
export interface Step extends Pick<Difference, 'body' | 'content'> {
  readonly label: string;
  /** The value of `If-Match`; undefined to leave it out. */
  readonly tag?: string | undefined;
  /** Replaces the target that follows from the contract. */
  readonly target?: string;
  readonly parameters?: ReadonlyMap<Parameter, ParameterText>;
}

/** Calls an operation on a created thing. */
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

/** Leaves out every optional parameter that has no bound value. */
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

/** Adds findings to a result, as far as their checks count at the level of the run. */
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

/** The reply of a step; undefined without one, or when it is 429, which says nothing of the state. */
export function replyOf({ replies }: CaseResult): WireReply | undefined {
  return replies.find(({ status }) => status !== 429);
}

/** Whether a request succeeded and is complete: 202 says that it may still be processed. */
export function isDone(reply: WireReply | undefined): reply is WireReply {
  return reply !== undefined && reply.status < 300 && reply.status !== 202;
}

/** Whether the contract declares 404 or 410 for an operation. */
export function declaresAbsence(operation: Operation): boolean {
  return [404, 410].some((status) => findReply(operation, status) !== undefined);
}
