// Finds a request of each operation that the server accepts, and gives the operation's cases what it has: ids that exist.
import { toFindings, type CaseResult, type Finding } from '../oracle/checks';
import { includes } from '../contract/standards';
import { isHarmless, mayBeValid, type Case } from '../generators/case';
import { baseOfParameter, NOT_SENT, toBody, validRequest } from '../generators/valid-request';
import { isLimited } from '../exchange/exchange';
import type { Tools } from '../exchange/run-case';
import { writeParameter, type ParameterText } from '../contract/serialization';
import { isSamePath } from '../contract/path-template';
import { rebase } from '../wire/rebase';
import type { Instance, InstanceStore } from './instance-store';
import { findLinkedOperation, type LinkedOperation, type Links } from './links';
import { findReply, isSafeMethod, operationOf, type Operation, type Parameter } from '../contract/model';
import { isGivenByReply } from '../contract/paging';
import { examplesOf, rulesOf } from '../contract/schema';
import { findSuccess, describeRateLimit } from '../exchange/proof';
import { requestBodyOf } from '../oracle/body';
import { ABOUT_STATE, BY_DECLARED_REPLY, mayBeOwnRule, mayDependOnState } from '../oracle/judge';
import { essenceOf } from '../wire/media-type';
import { valuesOf, type WireReply } from '../wire/reply';
import { isSame, objectOrEmpty, writeJson } from '../wire/json';
import { createValidBodies, type ValidBody } from './bodies';
import { idsChosenByClient, withChosenId } from './find-id';
import { changeBody, runFresh } from './run-fresh';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import type { Suite } from '../suite';

/** What the cases of an operation have in place of the default values that they are derived with. */
interface Base {
  readonly operation: Operation;
  /** The default request, of which the cases are made. */
  readonly derived: WireRequest;
  readonly linked: LinkedOperation | undefined;
  /** The instance whose ids all cases have that do not change it; undefined if none is needed or known. */
  readonly shared: Instance | undefined;
  readonly values: Values;
  /** Optional parameters that the server refuses with the default value. */
  readonly omitted: ReadonlySet<Parameter>;
  /** Why no refusal of a request says anything; undefined if one was accepted, or it is not known why none was. */
  readonly problem?: string;
  /** The body that the server accepts in place of the default one; undefined if it accepts that. */
  readonly body?: ValidBody;
  /** The reply to a valid request. */
  readonly success?: WireReply | undefined;
  /** What was sent to find all this. */
  readonly controls: readonly CaseResult[];
}

/** Sends cases with ids that exist and without parameters that are refused, and repeats valid requests as controls. */
export class Bases {
  readonly #run: InstanceRun;
  readonly #bases = new Map<Operation, Promise<Base>>();
  readonly #controlled = new Set<Operation>();
  readonly #limited = new Set<Operation>();

  constructor(run: InstanceRun) {
    this.#run = run;
  }

  /** Sends nothing to an operation any more after a request to it that stayed limited. */
  async run(testCase: Case): Promise<CaseResult> {
    const { suite, tools } = this.#run;
    const operation = operationOf(suite.model, testCase);
    if (this.#limited.has(operation))
      return { case: testCase, replies: [], findings: [], unproven: describeRateLimit(operation.method) };
    const result = await this.#send(await this.#baseOf(operation), testCase);
    const isOwn = testCase.request.method === operation.method;
    if (isOwn && isLimited(tools.target, result.replies)) this.#limited.add(operation);
    return result;
  }

  /** The results of the requests that were sent before the cases of an operation. */
  async controlsOf(operation: Operation): Promise<readonly CaseResult[]> {
    return (await this.#baseOf(operation)).controls;
  }

  /** The operations with a valid request that the server has accepted. */
  controlled(): Operation[] {
    return [...this.#controlled];
  }

  /** Sends the valid request of an operation again, if it was accepted; to another instance if the first one is used up. */
  async repeat(operation: Operation): Promise<CaseResult[]> {
    const base = await this.#baseOf(operation);
    if (!this.#controlled.has(operation)) return [];
    const result = await this.#control(base, 'a valid request, again');
    const mayBeUsedUp = base.linked && result.replies.some(({ status }) => mayDependOnState(operation, status));
    if (!mayBeUsedUp) return [result];
    if (base.shared) await this.#forget(base.shared);
    this.#bases.delete(operation);
    return [(await this.#baseOf(operation)).controls.at(-1) ?? result];
  }

  // Keeps the promise: cases that run at once wait for the same base.
  #baseOf(operation: Operation): Promise<Base> {
    const base = this.#bases.get(operation) ?? this.#findBase(operation);
    this.#bases.set(operation, base);
    return base;
  }

  async #findBase(operation: Operation): Promise<Base> {
    const { tools, isControlled } = this.#run;
    const { values, target } = tools;
    const derived = validRequest(values, operation);
    const none = { linked: undefined, shared: undefined, omitted: new Set<Parameter>(), controls: [] };
    const base = { operation, derived, values, ...none };
    if (target.unbuilt?.has(operation.id) === true) return base;
    const bound = await this.#bind(base);
    const problem = bound.shared ? undefined : describeUnknownIds(bound);
    // An id that exists by chance may be that of something that others have created.
    if (problem !== undefined && !bound.linked && !isHarmless(operation)) return { ...bound, problem };
    if (!isControlled(operation) || derived.skipReason) return bound;
    const control = await this.#control(bound, 'a valid request');
    const [status] = control.replies.map((reply) => reply.status);
    const put = status === 404 || status === 410 ? await this.#put(bound) : undefined;
    const again = put ? await this.#control(bound, 'a valid request') : undefined;
    const based = { ...bound, controls: [...bound.controls, ...(put ?? [])] };
    return this.#explain(based, again ?? control);
  }

  /**
   * Keeps what was accepted. Sends what was refused without its optional parameters, and then with each alone: cases leave
   * out those that the server refuses.
   */
  async #explain(base: Base, control: CaseResult): Promise<Base> {
    const { operation } = base;
    const keep = (...results: readonly CaseResult[]): Base => ({
      ...base,
      controls: [...base.controls, ...results],
      success: results.flatMap((result) => this.#successOf(operation, result) ?? [])[0],
    });
    if (this.#isAccepted(operation, control)) return keep(control);
    const problem = base.shared ? undefined : describeUnknownIds(base);
    if (problem !== undefined) return { ...keep(withoutRefusal(control, problem)), problem };
    // What is refused besides has the same cause.
    const withoutSuccess = (): Base => {
      const result = this.#withNoSuccess(base, control);
      const isFound = result !== control;
      return { ...keep(result), ...(isFound && { problem: `the server accepts no valid request to ${operation.id}` }) };
    };
    const sent = optionalParametersOf(operation);
    const isAboutRequest = control.replies.some(({ status }) => status >= 400 && ![401, 403, 429].includes(status));
    if (!isAboutRequest) return withoutSuccess();
    const label = 'a valid request without optional parameters';
    const bare = sent.length > 0 ? await this.#control({ ...base, omitted: new Set(sent) }, label) : undefined;
    if (!bare || !this.#isAccepted(operation, bare))
      return (await this.#tryOtherBodies(base, control)) ?? withoutSuccess();
    const refused: (readonly [Parameter, CaseResult])[] = [];
    for (const parameter of sent) {
      const omitted = new Set(sent.filter((other) => other !== parameter));
      const alone = await this.#control({ ...base, omitted }, `a valid request with ${parameter.name} alone`);
      if (!this.#isAccepted(operation, alone)) refused.push([parameter, alone]);
    }
    const findings = refused.map(([parameter, result]) => describeRefusal(base, parameter, { result, bare }));
    const own = { ...keep(bare, ...findings), omitted: new Set(refused.map(([parameter]) => parameter)) };
    const rest = await this.#control(own, 'a valid request without the optional parameters that are refused');
    // Where it is not one parameter, but several together, all are left out.
    if (this.#isAccepted(operation, rest)) return { ...own, controls: [...own.controls, rest] };
    return { ...keep(control, bare), omitted: new Set(sent) };
  }

  /** Sends other valid bodies: the values of the default one may break a rule that a contract cannot express. */
  async #tryOtherBodies(base: Base, control: CaseResult): Promise<Base | undefined> {
    const { operation } = base;
    const [first, ...others] = createValidBodies(base.values, operation);
    for (const body of others.slice(0, MAX_BODIES)) {
      const result = await this.#control({ ...base, body }, 'a valid request with another body');
      const success = this.#successOf(operation, result);
      if (!success || first?.value === undefined || body.value === undefined) continue;
      const [status = 0] = control.replies.map((reply) => reply.status);
      const text = `${operation.method} ${operation.path} refuses the body ${writeJson(first.value)} with ${String(status)}, but accepts ${writeJson(body.value)}. If a rule between properties is the reason, which a contract cannot express, give a body with --fixtures, places: { '${body.content.pointer}': [...] }`;
      const findings = control.findings.map((each) => (each.check === 'valid-refused' ? { ...each, text } : each));
      return { ...base, body, success, controls: [...base.controls, { ...control, findings }, result] };
    }
    return undefined;
  }

  /**
   * Says that an operation accepts nothing, unless that may depend on what exists, or is a rule of the service, for which
   * no standard is the source.
   */
  #withNoSuccess({ operation, shared }: Base, control: CaseResult): CaseResult {
    const { tools, suite } = this.#run;
    const [status = 0] = control.replies.map((reply) => reply.status);
    const isThere = shared?.isCreatedByRun === true && operation.path.endsWith('}');
    const isDeclared = findReply(operation, status) !== undefined;
    const isAboutState = ABOUT_STATE.has(status) && (isDeclared || operation.path.includes('{') || status === 409);
    const isState = (isAboutState && !(isThere && status === 404)) || (isDeclared && status === 503);
    const isExcused = isState || (!includes(suite.level, 'robust') && mayBeOwnRule(operation, status));
    if (isExcused || status === 0 || isLimited(tools.target, control.replies)) return control;
    return { ...control, findings: [...control.findings, ...toFindings('valid-refused', [NO_SUCCESS])] };
  }

  #isAccepted(operation: Operation, result: CaseResult): boolean {
    return this.#successOf(operation, result) !== undefined;
  }

  #successOf(operation: Operation, result: CaseResult): WireReply | undefined {
    const success = findSuccess(operation, this.#run.tools.target, result);
    if (success) this.#controlled.add(operation);
    return success;
  }

  /** Finds or creates the instance that the path of an operation names. */
  async #bind(base: Base): Promise<Base> {
    const { links, instances, suite } = this.#run;
    const { operation } = base;
    const linked = findLinkedOperation(links, operation);
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path');
    const isGiven = inPath.length > 0 && inPath.every(({ pointer }) => base.values.fixtures.places.has(pointer));
    if (!linked || (isGiven && isHarmless(operation))) return base;
    const created = this.#createdBy(operation);
    // Finds a parent whose state allows the creation.
    if (created) await instances.createNew(created);
    const found = await instances.parentFor(linked);
    // Where others have created it, the suite only reads it, and creates something below it.
    const isOurs = found?.isCreatedByRun === true || isSafeMethod(operation);
    const isCreating = operation.method === 'POST' && (created !== undefined || operation.replies.has('201'));
    const shared = isOurs || isCreating ? found : undefined;
    const values = shared && (await instances.bindIds(linked, shared));
    if (values) return { ...base, linked, shared, values };
    const reason = `operations on a resource that the run could ${found ? 'not create' : 'neither create nor find'}${instances.reasonFor(linked.resource)}`;
    suite.model.contract.skipped.add({ reason, pointer: operation.pointer });
    return { ...base, linked, ...(found !== shared && { problem: ONLY_READ }) };
  }

  // A PUT that creates something may also replace what exists.
  #createdBy(operation: Operation) {
    const { resources } = this.#run.links;
    return operation.method === 'POST' ? resources.find(({ create }) => create === operation) : undefined;
  }

  /** Puts what is below an instance, such as `/books/{id}/cover`, so that it can be read. */
  async #put({ operation, shared }: Base): Promise<CaseResult[] | undefined> {
    const { links, instances, isControlled } = this.#run;
    const put = links.linkedOperations.find(
      ({ operation: { method, path } }) => method === 'PUT' && isSamePath(path, operation.path),
    );
    if (shared?.isCreatedByRun !== true || !put || put.operation === operation || !isControlled(put.operation))
      return undefined;
    const values = await instances.bindIds(put, shared);
    const base = await this.#baseOf(put.operation);
    return values && [await this.#sendTo({ ...base, values }, controlOf(base, 'put what is read'), shared)];
  }

  #control(base: Base, label: string): Promise<CaseResult> {
    return this.#send(base, controlOf(base, label));
  }

  /** Sends a case to the instance that all cases share, or to a new one if it is valid and may change it. */
  async #send(base: Base, testCase: Case): Promise<CaseResult> {
    const { instances } = this.#run;
    const { operation, linked, shared } = base;
    const mayChange = ['accepted', 'answered'].includes(testCase.expect) && !isSafeMethod(operation);
    if (linked && !mayChange && !shared && !isHarmless(operation) && mayBeValid(testCase))
      return { case: testCase, replies: [], findings: [], unproven: NO_INSTANCE };
    if (!linked || !mayChange) {
      const result = await this.#sendTo(base, testCase, shared);
      const isRemoved = operation.method === 'DELETE' && result.replies.some(({ status }) => status < 300);
      if (isRemoved && shared) await this.#forget(shared);
      return result;
    }
    if (this.#createdBy(operation)) return this.#sendBelow(base, testCase, linked);
    const created = await instances.createNew(linked.resource);
    // If no other can be created, use up the shared one: the next case then creates another.
    if (!created) instances.forgetShared(linked.resource);
    const instance = created ?? shared;
    const values = instance && (await instances.bindIds(linked, instance));
    if (!values && isHarmless(operation)) return this.#sendTo(base, testCase, undefined);
    const own = values && withIdOf(instance, testCase);
    if (own) return this.#sendTo({ ...base, values }, own, instance);
    return { case: testCase, replies: [], findings: [], unproven: values ? OTHER_ID : NO_INSTANCE };
  }

  /** The next case of each operation on the instance gets another one. */
  async #forget(instance: Instance): Promise<void> {
    this.#run.instances.forgetShared(instance.resource);
    for (const [operation, base] of this.#bases) if ((await base).shared === instance) this.#bases.delete(operation);
  }

  /** Sends a case that creates something below an instance: below others, too, if that one is full or lacks something. */
  async #sendBelow(base: Base, testCase: Case, linked: LinkedOperation): Promise<CaseResult> {
    const { instances, tools } = this.#run;
    const result = await this.#sendTo(base, testCase, base.shared);
    if (base.shared?.isCreatedByRun !== true || result.findings.length > 0 || result.unproven !== undefined)
      return result;
    let last = result;
    const { create } = linked.resource;
    for (const body of [...OTHER_BODIES, ...(create ? createLargestBody(tools.values, create) : [])]) {
      if (findSuccess(base.operation, tools.target, last)) break;
      const parent = await instances.createNew(linked.resource, body);
      const values = parent && (await instances.bindIds(linked, parent));
      if (values) last = await this.#sendTo({ ...base, values }, testCase, parent);
    }
    return last;
  }

  async #sendTo(base: Base, testCase: Case, instance: Instance | undefined): Promise<CaseResult> {
    const refused = [...base.omitted].find(({ pointer }) => pointer === testCase.pointer);
    if (refused) {
      const unproven = `the server refuses the optional parameter ${refused.name} with the value that the suite sends`;
      return { case: testCase, replies: [], findings: [], unproven };
    }
    const sent = await this.#sendBased(base, testCase, instance);
    const result = (await this.#isLostInAbsoluteForm(base, sent, instance))
      ? { ...sent, findings: toFindings('valid-refused', [ABSOLUTE_FORM_LOST]) }
      : withoutOthers(base, sent);
    return base.problem === undefined ? result : withoutRefusal(result, base.problem);
  }

  /** Whether a path is found in its usual form only: its cases that should be accepted have it in absolute form. */
  async #isLostInAbsoluteForm(base: Base, sent: CaseResult, instance: Instance | undefined): Promise<boolean> {
    const { class: caseClass, expect } = sent.case;
    const isLost = sent.replies.some(({ status }) => status === 404) && caseClass === 'path' && expect === 'accepted';
    if (!isLost || !base.success) return false;
    const usual = await this.#sendBased(base, controlOf(base, 'the same in its usual form'), instance);
    return this.#isAccepted(base.operation, usual);
  }

  async #sendBased(base: Base, testCase: Case, instance: Instance | undefined): Promise<CaseResult> {
    const { tools, instances } = this.#run;
    const { derived, operation, omitted, values } = base;
    const { method } = testCase.request;
    // A method that the contract does not have must not reach what others have created.
    const isForeign = instance?.isCreatedByRun === false && method !== operation.method && !isSafeMethod({ method });
    if (isForeign || (!instance && omitted.size === 0 && !base.body))
      return runFresh(tools, testCase, instances.referencesFrom());
    // What a case tests stays as it is.
    const tested = operation.parameters.find(({ pointer }) => pointer === testCase.pointer);
    const parameters = new Map<Parameter, ParameterText>([...omitted].map((parameter) => [parameter, NOT_SENT]));
    if (tested?.in === 'path') parameters.set(tested, writeParameter(tested, baseOfParameter(tools.values, tested)));
    const realRequest = validRequest(values, operation, { parameters });
    const toReal = (request: WireRequest): WireRequest => rebase(request, derived, realRequest, tested?.name);
    // Only credentials are wrong, so the body must not be.
    const own = (instance && testCase.class === 'auth' ? withIdOf(instance, testCase) : undefined) ?? testCase;
    const real = { ...own, request: toReal(own.request) };
    const { value } = base.body ?? {};
    const sent = (value === undefined ? undefined : changeBody(tools.values, operation, real, () => value)) ?? real;
    return runFresh(tools, sent, instances.referencesFrom(instance ? [instance, ...instance.parents] : []));
  }
}

/** Of the valid bodies, the one with the largest numbers, such as of places in a course. */
function createLargestBody(values: Values, create: Operation): ValidBody[] {
  const sizeOf = ({ value }: ValidBody): number =>
    Object.values(objectOrEmpty(value)).reduce<number>(
      (sum, each) => sum + (typeof each === 'bigint' ? Number(each) : 0),
      0,
    );
  return createValidBodies(values, create)
    .toSorted((one, other) => sizeOf(other) - sizeOf(one))
    .slice(0, 1);
}

// With required properties only, and those that the contract shows.
const MAX_BODIES = 4;

// The default one, and those that the contract shows.
const OTHER_BODIES = [0, 2, 3];

const ABSOLUTE_FORM_LOST = 'the status is 404 for the target in absolute form, but not in its usual form';

const NO_SUCCESS = 'the server accepts no valid request to this operation';

const NO_INSTANCE = 'it may change something, and the run could not create anything that it may change';
const ONLY_READ = "no instance of the run's own is known: what others created is only read";
const OTHER_ID = 'the id in its body differs from the one in its path';

// Its value says nothing of what exists, unless it is one of a few, is given, or is shown by the contract.
function isGuessed({ fixtures }: Values, { in: place, pointer, schema, examples = [] }: Parameter): boolean {
  const isKnown = fixtures.places.has(pointer) || examples.length > 0 || examplesOf(schema).length > 0;
  return place === 'path' && !isKnown && rulesOf(schema, 'enum').length + rulesOf(schema, 'const').length === 0;
}

/** Why cases of an operation without an instance prove nothing; undefined if the values of all ids are given. */
function describeUnknownIds({ operation, values, problem }: Base): string | undefined {
  const unknown = operation.parameters.filter((parameter) => isGuessed(values, parameter));
  const names = unknown.map(({ name }) => `{${name}}`).join(' and ');
  return names === '' ? undefined : (problem ?? `no value of ${names} is known that exists: give one with --fixtures`);
}

/** A result of a request with made-up ids: where it is refused, nobody knows why. */
function withoutRefusal(result: CaseResult, problem: string): CaseResult {
  const isOpen = ['accepted', 'refused'].includes(result.case.expect);
  const isRefused = result.replies.some(({ status }) => status >= 400 && status < 500);
  if (!isOpen || !isRefused) return result;
  return { ...result, unproven: problem, findings: result.findings.filter(({ check }) => check !== 'valid-refused') };
}

// Without credentials, another page may answer, such as the start page of an application. Nothing is wrong with that where
// the operation replies otherwise to those who may call it; nor need a server see the same path in another spelling.
function withoutOthers({ success }: Base, result: CaseResult): CaseResult {
  const isOther = success && result.replies.some((reply) => reply.status < 300 && typesOf(reply) !== typesOf(success));
  if (!isOther || !result.findings.some(({ check }) => check === 'unauthorized-accepted')) return result;
  const isKept = ({ check }: Finding): boolean =>
    check !== 'unauthorized-accepted' && !(result.case.class === 'path' && BY_DECLARED_REPLY.has(check));
  return { ...result, findings: result.findings.filter(isKept) };
}

function typesOf(reply: WireReply): string {
  return valuesOf(reply, 'content-type').map(essenceOf).join();
}

// Those that the default request has.
function optionalParametersOf({ parameters }: Operation): Parameter[] {
  return parameters.filter((parameter) => !parameter.isRequired && !isGivenByReply(parameter));
}

/** The result of a request with one optional parameter, with a finding that names it, and says what to do. */
function describeRefusal(
  { operation, values }: Base,
  parameter: Parameter,
  { result, bare }: { readonly result: CaseResult; readonly bare: CaseResult },
): CaseResult {
  const { method, path } = operation;
  const [status = 0, accepted = 0] = [result, bare].map(({ replies }) => replies.at(-1)?.status);
  const value = writeJson(baseOfParameter(values, parameter));
  const undeclared = findReply(operation, status) ? '' : `, and does not declare ${String(status)}`;
  const text = `${method} ${path} refuses its optional parameter ${parameter.name} (${value}) with ${String(status)}; without it, it answers ${String(accepted)}. The contract allows this value${undeclared}: let it say which values are right, or give one with --fixtures, places: { '${parameter.pointer}': [...] }`;
  const findings = result.findings.map((finding) =>
    finding.check === 'valid-refused' ? { ...finding, text } : finding,
  );
  return { ...result, case: { ...result.case, pointer: parameter.pointer }, findings, unproven: text };
}

function controlOf({ operation: { id, pointer, method, path }, derived }: Base, label: string): Case {
  const place = `${method} ${path}`;
  return { operation: id, place, class: 'control', pointer, label, request: derived, expect: 'accepted' };
}

/**
 * The case with the id of the instance in its body: no standard says whether the id in path or body counts. Undefined for
 * a body with another id that is spelled in a way of its own.
 */
function withIdOf({ resource: { idExpressions }, id }: Instance, testCase: Case): Case | undefined {
  const value = requestBodyOf(testCase);
  if (idsChosenByClient(value, idExpressions).every((chosenId) => isSame(chosenId, id))) return testCase;
  const { request, interpretation } = testCase;
  if (value === undefined || request.body?.equals(toBody(writeJson(value))) !== true) return undefined;
  const own = withChosenId(value, idExpressions, id);
  return {
    ...testCase,
    request: { ...request, body: toBody(writeJson(own)) },
    ...(interpretation && { interpretation: { ...interpretation, value: own } }),
  };
}

/** How the stateful cases are run. */
export interface StatefulOptions {
  /** Whether valid requests to an operation are sent in scenarios; all are unless it is set. */
  readonly isWanted?: (operation: Operation) => boolean;
  /** Whether valid requests to an operation are sent as controls, and to create or find what others need; none unless it is set. */
  readonly isControlled?: (operation: Operation) => boolean;
}

export interface InstanceRun {
  readonly suite: Suite;
  readonly tools: Tools;
  readonly links: Links;
  readonly instances: InstanceStore;
  /** Whether valid requests are sent to an operation. */
  readonly isAllowed: (operation: Operation) => boolean;
  readonly isControlled: (operation: Operation) => boolean;
}
