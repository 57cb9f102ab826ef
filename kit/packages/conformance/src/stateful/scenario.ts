// The state of a scenario, which is a sequence of requests about one resource.
import { findReply, type Operation, type Parameter } from '../contract/model';
import type { Expectation } from '../generators/case';
import { NOT_SENT, validRequest, type Difference } from '../generators/valid-request';
import { includes } from '../contract/standards';
import { type CaseResult, CHECKS, type Finding } from '../oracle/checks';
import type { Tools } from '../exchange/run-case';
import type { Json, JsonObject } from '../wire/json';
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
  /** The ids that were in the list before invalid bodies were sent; undefined if some are unknown. */
  listedBefore?: ReadonlySet<string>;
  /** Includes deleted instances. */
  readonly created: TrackedInstance[];
}

export interface TrackedInstance {
  readonly instance: Instance;
  /** The values that were sent and that replies must show; undefined if they are unknown. */
  expected: JsonObject | undefined;
  lastShown: Representation | undefined;
  /** The latest change, until a read verifies it. */
  unverifiedChange: Change | undefined;
  etag: string | undefined;
  /** Whether no other instance has been created since, and no read has shown this one yet. */
  isNew: boolean;
  /** The entity tag from the reply to a creation or replacement, until a read verifies it. */
  newEtag: string | undefined;
  readonly oldEtags: string[];
  isDeleted: boolean;
  isGone: boolean;
  /** Whether a change gave the instance another id, or a 202 may still change it. */
  isUnknown: boolean;
}

export function track(instance: Instance): TrackedInstance {
  const { etag } = instance;
  const unknownState = { expected: undefined, lastShown: undefined, unverifiedChange: undefined };
  return {
    instance,
    ...unknownState,
    etag,
    isNew: true,
    newEtag: undefined,
    oldEtags: [],
    isDeleted: false,
    isGone: false,
    isUnknown: false,
  };
}

/** A successful PUT or PATCH. */
export interface Change {
  readonly before: Representation | undefined;
  readonly shown: Representation | undefined;
  /** The properties in a PATCH whose body is an object; undefined for other changes. */
  readonly patchedNames: ReadonlySet<string> | undefined;
  readonly isMergePatch: boolean;
  readonly isReplacement: boolean;
}

/** How a request differs from one with only the required parts. */
export interface Step extends Pick<Difference, 'body' | 'content' | 'headers'> {
  readonly label: string;
  readonly ifMatch?: string | undefined;
  readonly expect?: Expectation;
  /** Replaces the contract's path and query. */
  readonly target?: string;
  /** Replaces the server's path, which precedes the target. */
  readonly server?: OtherServer;
  readonly parameters?: ReadonlyMap<Parameter, ParameterText>;
}

/** Sends the instance's ids and the step's values, and leaves out all other optional parameters. */
export async function callOnInstance(
  scenario: Scenario,
  linkedOperation: LinkedOperation,
  tracked: TrackedInstance,
  step: Step,
): Promise<CaseResult> {
  const { tools, instances } = scenario;
  const { instance } = tracked;
  const { operation, origins } = linkedOperation;
  // `bindIds` puts this entity tag into If-Match, so it must be the step's tag, if any, not the instance's.
  const values = await instances.bindIds(linkedOperation, { ...instance, etag: step.ifMatch });
  const idParameters = [...origins.keys()];
  const ifMatchParameters = step.ifMatch === undefined ? [] : operation.parameters.filter(isIfMatch);
  const difference = omitOptionalParameters(operation, new Set([...idParameters, ...ifMatchParameters]), step);
  // If an id is unknown, a made-up one is sent.
  const request = validRequest(values ?? tools.values, operation, difference);
  const { label, expect = 'accepted' } = step;
  const stepRequest = { ...withTarget(request, step.target), server: step.server ?? operation.server };
  const result = await sendValid(tools, operation, stepRequest, { label, expect });
  if (conclusiveReplyOf(result)?.status === 202) tracked.isUnknown = true;
  return result;
}

export function withTarget(request: WireRequest, target: string | undefined): WireRequest {
  return target === undefined ? request : { ...request, target };
}

/** Leaves out all optional parameters except `keptParameters` and the step's own. */
export function omitOptionalParameters(
  { parameters }: Operation,
  keptParameters: ReadonlySet<Parameter>,
  step: Pick<Step, 'parameters' | 'body' | 'content' | 'headers'>,
): Difference {
  const omittedEntries = parameters
    .filter((parameter) => !parameter.isRequired && !keptParameters.has(parameter))
    .map((parameter) => [parameter, NOT_SENT] as const);
  return {
    parameters: new Map<Parameter, ParameterText>([...omittedEntries, ...(step.parameters ?? [])]),
    // With `body: undefined`, no body is sent. Without the property, the default body is sent.
    ...('body' in step && { body: step.body }),
    ...(step.content && { content: step.content }),
    ...(step.headers && { headers: step.headers }),
  };
}

/** Adds the findings, except those of checks that belong to a higher level than the run's. */
export function addFindings(
  { tools: { oracle } }: Pick<Scenario, 'tools'>,
  result: CaseResult,
  findings: readonly Finding[],
): CaseResult {
  const addedFindings = findings.filter(({ check }) => includes(oracle.level, CHECKS[check].level));
  return { ...result, findings: [...result.findings, ...addedFindings] };
}

/** Adds a finding to the page with its item (without an item, the last page with any), or else to the last result. */
export function addFindingsAtEnd(
  scenario: Pick<Scenario, 'tools'>,
  results: readonly CaseResult[],
  findings: readonly Finding[],
  pages: readonly (readonly Json[])[] = [],
): CaseResult[] {
  const placeOf = ({ item }: Finding): number =>
    pages.findLastIndex((page) => (item === undefined ? page.length > 0 : page.includes(item)));
  const places = Map.groupBy(findings, (finding) => results.at(placeOf(finding)));
  return results.map((result) => addFindings(scenario, result, places.get(result) ?? []));
}

/** Returns the first reply except a 429, which says nothing about the instance. */
export function conclusiveReplyOf({ replies }: CaseResult): WireReply | undefined {
  return replies.find(({ status }) => status !== 429);
}

/** Whether a request has succeeded and is finished. After a 202, it may still be in progress. */
export function isCompleted(reply: WireReply | undefined): reply is WireReply {
  return reply !== undefined && reply.status < 300 && reply.status !== 202;
}

const NOT_FOUND_STATUSES = [404, 410];

export function isNotFoundReply(reply: WireReply | undefined): boolean {
  return reply !== undefined && NOT_FOUND_STATUSES.includes(reply.status);
}

export function declares404Or410(operation: Operation): boolean {
  return NOT_FOUND_STATUSES.some((status) => findReply(operation, status) !== undefined);
}
