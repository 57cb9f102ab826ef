// The state of a scenario: a sequence of requests about one resource, and what they created.
import { findReply, type Operation, type Parameter } from '../contract/model';
import type { Expectation } from '../generators/case';
import { NOT_SENT, validRequest, type Difference } from '../generators/valid-request';
import { includes } from '../contract/standards';
import { type CaseResult, CHECKS, type Finding } from '../oracle/checks';
import type { Tools } from '../exchange/run-case';
import type { JsonObject } from '../wire/json';
import type { ParameterText } from '../contract/serialization';
import type { WireReply } from '../wire/reply';
import type { OtherServer, WireRequest } from '../wire/request';
import { isIfMatch, sendValid, type Instance, type InstanceStore } from './instance-store';
import type { Lifecycle, LinkedOperation } from './links';
import type { Representation } from './representation';

export interface Scenario {
  readonly tools: Tools;
  readonly instances: InstanceStore;
  readonly lifecycle: Lifecycle;
  /** The ids that a list had before, perhaps from an earlier run; undefined where they are not all known. */
  listedBefore?: ReadonlySet<string>;
  /** Also those that the scenario deleted. */
  readonly created: TrackedInstance[];
}

/** An instance that the scenario created, and its expected state. */
export interface TrackedInstance {
  readonly instance: Instance;
  /** The property values that a reply has to show, since clients sent them; undefined when they are unknown. */
  expected: JsonObject | undefined;
  lastShown: Representation | undefined;
  /** The latest change, until it is read back. */
  unverifiedChange: Change | undefined;
  etag: string | undefined;
  /** That of the reply to its creation or replacement, until it is read back. */
  newEtag: string | undefined;
  readonly oldEtags: string[];
  isDeleted: boolean;
  /** Whether a read found nothing after the deletion. */
  isGone: boolean;
  /** Whether no more is known of it: a change gave it another id, or may still be made after a 202. */
  isUnknown: boolean;
}

/** Of which nothing is known yet. */
export function track(instance: Instance): TrackedInstance {
  const { etag } = instance;
  const unknown = { expected: undefined, lastShown: undefined, unverifiedChange: undefined };
  return {
    instance,
    ...unknown,
    etag,
    newEtag: undefined,
    oldEtags: [],
    isDeleted: false,
    isGone: false,
    isUnknown: false,
  };
}

/** A PUT or PATCH with success. */
export interface Change {
  readonly before: Representation | undefined;
  /** What the reply to it showed. */
  readonly shown: Representation | undefined;
  /** The names of the properties in a PATCH with an object; undefined for other changes. */
  readonly patchedNames: ReadonlySet<string> | undefined;
  readonly isMergePatch: boolean;
  readonly isReplacement: boolean;
}

/** How a request of a scenario differs from one without anything optional. */
export interface Step extends Pick<Difference, 'body' | 'content' | 'headers'> {
  readonly label: string;
  readonly ifMatch?: string | undefined;
  /** A success by default. */
  readonly expect?: Expectation;
  /** Replaces the path and query that follow from the contract. */
  readonly target?: string;
  /** What precedes the target in place of what the contract says. */
  readonly server?: OtherServer;
  readonly parameters?: ReadonlyMap<Parameter, ParameterText>;
}

/**
 * Calls an operation on an instance: the request has its ids, and the parameters, entity tag, body and target (path and
 * query) that the step gives; other optional parameters are left out.
 */
export async function callOnInstance(
  scenario: Scenario,
  linked: LinkedOperation,
  tracked: TrackedInstance,
  step: Step,
): Promise<CaseResult> {
  const { tools, instances } = scenario;
  const { instance } = tracked;
  const { operation, origins } = linked;
  // bindIds puts the entity tag of the instance into If-Match: give it that of the step, or none.
  const values = await instances.bindIds(linked, { ...instance, etag: step.ifMatch });
  const idParameters = [...origins.keys()];
  const ifMatchParameters = step.ifMatch === undefined ? [] : operation.parameters.filter(isIfMatch);
  const difference = omitOptionalParameters(operation, new Set([...idParameters, ...ifMatchParameters]), step);
  // If an id is unknown, the request has a made-up one.
  const request = validRequest(values ?? tools.values, operation, difference);
  const { label, expect = 'accepted' } = step;
  const own = { ...withTarget(request, step.target), server: step.server ?? operation.server };
  const result = await sendValid(tools, operation, own, { label, expect });
  if (judgeableReplyOf(result)?.status === 202) tracked.isUnknown = true;
  return result;
}

export function withTarget(request: WireRequest, target: string | undefined): WireRequest {
  return target === undefined ? request : { ...request, target };
}

/** Leaves out the optional parameters, which the default request has, except those that are kept or in the step. */
export function omitOptionalParameters(
  { parameters }: Operation,
  keptParameters: ReadonlySet<Parameter>,
  step: Pick<Step, 'parameters' | 'body' | 'content' | 'headers'>,
): Difference {
  const omitted = parameters
    .filter((parameter) => !parameter.isRequired && !keptParameters.has(parameter))
    .map((parameter) => [parameter, NOT_SENT] as const);
  return {
    parameters: new Map<Parameter, ParameterText>([...omitted, ...(step.parameters ?? [])]),
    // A body that is undefined means a request without one; only without the property there is a default body.
    ...('body' in step && { body: step.body }),
    ...(step.content && { content: step.content }),
    ...(step.headers && { headers: step.headers }),
  };
}

/** Adds findings to a result, except those whose check counts only at a higher level than that of the run. */
export function withFindings(
  { tools: { oracle } }: Pick<Scenario, 'tools'>,
  result: CaseResult,
  findings: readonly Finding[],
): CaseResult {
  const added = findings.filter(({ check }) => includes(oracle.level, CHECKS[check].level));
  return { ...result, findings: [...result.findings, ...added] };
}

/** Adds findings to the last of several results. */
export function withFindingsAtEnd(
  scenario: Pick<Scenario, 'tools'>,
  results: readonly CaseResult[],
  findings: readonly Finding[],
): CaseResult[] {
  const last = results.at(-1);
  return last ? [...results.slice(0, -1), withFindings(scenario, last, findings)] : [];
}

/** Returns the reply unless it is 429, which says nothing about the instance; undefined without one. */
export function judgeableReplyOf({ replies }: CaseResult): WireReply | undefined {
  return replies.find(({ status }) => status !== 429);
}

/** Whether a request succeeded and is complete: 202 says that it may still be processed. */
export function isCompleted(reply: WireReply | undefined): reply is WireReply {
  return reply !== undefined && reply.status < 300 && reply.status !== 202;
}

// The statuses of a reply about an instance that does not exist.
const NOT_FOUND_STATUSES = [404, 410];

export function isNotFoundReply(reply: WireReply | undefined): boolean {
  return reply !== undefined && NOT_FOUND_STATUSES.includes(reply.status);
}

export function declares404Or410(operation: Operation): boolean {
  return NOT_FOUND_STATUSES.some((status) => findReply(operation, status) !== undefined);
}
