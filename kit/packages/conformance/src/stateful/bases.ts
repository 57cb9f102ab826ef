// Finds, for each operation, a request that the server accepts, so that the operation's cases use ids that exist.
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
import { findChosenIds, replaceChosenId } from './find-id';
import { changeBody, runFresh } from './run-fresh';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import type { Suite } from '../suite';

/** The values that an operation's cases use in place of the defaults. */
interface Base {
  readonly operation: Operation;
  readonly defaultRequest: WireRequest;
  readonly linkedOperation: LinkedOperation | undefined;
  /** The instance that cases share if they do not change it; undefined if none is needed or known. */
  readonly sharedInstance: Instance | undefined;
  readonly values: Values;
  readonly omittedParameters: ReadonlySet<Parameter>;
  /** Why a refusal proves nothing, for example because an id is made up. */
  readonly problem?: string;
  /** Set if the server refuses the default body but accepts this one. */
  readonly body?: ValidBody;
  readonly success?: WireReply | undefined;
  readonly controls: readonly CaseResult[];
}

/** Sends cases with ids that exist and without refused parameters. Repeats valid requests as controls. */
export class Bases {
  readonly #run: InstanceRun;
  readonly #bases = new Map<Operation, Promise<Base>>();
  readonly #acceptedOperations = new Set<Operation>();
  readonly #limitedOperations = new Set<Operation>();

  constructor(run: InstanceRun) {
    this.#run = run;
  }

  /** Runs a case, or skips it if its operation has stayed rate-limited. */
  async run(testCase: Case): Promise<CaseResult> {
    const { suite, tools } = this.#run;
    const operation = operationOf(suite.model, testCase);
    if (this.#limitedOperations.has(operation))
      return { case: testCase, replies: [], findings: [], unproven: describeRateLimit(operation.method) };
    const result = await this.#send(await this.#baseOf(operation), testCase);
    const isOwnMethod = testCase.request.method === operation.method;
    if (isOwnMethod && isLimited(tools.target, result.replies)) this.#limitedOperations.add(operation);
    return result;
  }

  async controlsOf(operation: Operation): Promise<readonly CaseResult[]> {
    return (await this.#baseOf(operation)).controls;
  }

  controlled(): Operation[] {
    return [...this.#acceptedOperations];
  }

  /** Repeats the operation's accepted request, and tries again with a new instance if the first one may be used up. */
  async repeat(operation: Operation): Promise<CaseResult[]> {
    const base = await this.#baseOf(operation);
    if (!this.#acceptedOperations.has(operation)) return [];
    const result = await this.#control(base, 'a valid request, again');
    const mayBeUsedUp =
      base.linkedOperation && result.replies.some(({ status }) => mayDependOnState(operation, status));
    if (!mayBeUsedUp) return [result];
    if (base.sharedInstance) await this.#forget(base.sharedInstance);
    this.#bases.delete(operation);
    return [(await this.#baseOf(operation)).controls.at(-1) ?? result];
  }

  #baseOf(operation: Operation): Promise<Base> {
    const base = this.#bases.get(operation) ?? this.#findBase(operation);
    this.#bases.set(operation, base);
    return base;
  }

  async #findBase(operation: Operation): Promise<Base> {
    const { tools, isControlled } = this.#run;
    const { values, target } = tools;
    const defaultRequest = validRequest(values, operation);
    const none = { linkedOperation: undefined, sharedInstance: undefined, controls: [] };
    const base = { operation, defaultRequest, values, omittedParameters: new Set<Parameter>(), ...none };
    if (target.unbuilt?.has(operation.id) === true) return base;
    const boundBase = await this.#bindInstance(base);
    const problem = boundBase.sharedInstance ? undefined : describeUnknownIds(boundBase);
    // A made-up id may happen to exist and belong to something that this run did not create.
    if (problem !== undefined && !boundBase.linkedOperation && !isHarmless(operation)) return { ...boundBase, problem };
    if (!isControlled(operation) || defaultRequest.skipReason) return boundBase;
    const control = await this.#control(boundBase, 'a valid request');
    const [status] = control.replies.map((reply) => reply.status);
    const putResults = status === 404 || status === 410 ? await this.#createByPut(boundBase) : undefined;
    const retriedControl = putResults ? await this.#control(boundBase, 'a valid request') : undefined;
    const finalBase = { ...boundBase, controls: [...boundBase.controls, ...(putResults ?? [])] };
    return this.#findRefusedParameters(finalBase, retriedControl ?? control);
  }

  /** Finds the optional parameters that the server refuses, by sending each one alone. Cases then leave them out. */
  async #findRefusedParameters(base: Base, control: CaseResult): Promise<Base> {
    const { operation } = base;
    const addControls = (...results: readonly CaseResult[]): Base => ({
      ...base,
      controls: [...base.controls, ...results],
      success: results.flatMap((result) => this.#successOf(operation, result) ?? [])[0],
    });
    if (this.#isAccepted(operation, control)) return addControls(control);
    const problem = base.sharedInstance ? undefined : describeUnknownIds(base);
    if (problem !== undefined) return { ...addControls(dismissRefusal(control, problem)), problem };
    // The operation's cases are refused for the same reason, so `problem` keeps those refusals out of the report.
    const createFailedBase = (): Base => {
      const result = this.#addNoSuccessFinding(base, control);
      const hasNewFinding = result !== control;
      return {
        ...addControls(result),
        ...(hasNewFinding && { problem: `the server accepts no valid request to ${operation.id}` }),
      };
    };
    const optionalParameters = optionalParametersOf(operation);
    const isAboutRequest = control.replies.some(({ status }) => status >= 400 && ![401, 403, 429].includes(status));
    if (!isAboutRequest) return createFailedBase();
    const label = 'a valid request without optional parameters';
    const bareControl =
      optionalParameters.length > 0
        ? await this.#control({ ...base, omittedParameters: new Set(optionalParameters) }, label)
        : undefined;
    if (!bareControl || !this.#isAccepted(operation, bareControl))
      return (await this.#tryOtherBodies(base, control)) ?? createFailedBase();
    const refusals: (readonly [Parameter, CaseResult])[] = [];
    for (const parameter of optionalParameters) {
      const omittedParameters = new Set(optionalParameters.filter((candidate) => candidate !== parameter));
      const result = await this.#control(
        { ...base, omittedParameters },
        `a valid request with ${parameter.name} alone`,
      );
      if (!this.#isAccepted(operation, result)) refusals.push([parameter, result]);
    }
    const findings = refusals.map(([parameter, result]) => describeRefusal(base, parameter, { result, bareControl }));
    const refusedParameters = new Set(refusals.map(([parameter]) => parameter));
    const reducedBase = { ...addControls(bareControl, ...findings), omittedParameters: refusedParameters };
    const reducedControl = await this.#control(
      reducedBase,
      'a valid request without the optional parameters that are refused',
    );
    // If this is refused too, the server refuses a combination of parameters, so all of them are left out.
    if (this.#isAccepted(operation, reducedControl))
      return { ...reducedBase, controls: [...reducedBase.controls, reducedControl] };
    return { ...addControls(control, bareControl), omittedParameters: new Set(optionalParameters) };
  }

  /** Tries other bodies, since the default one may break a rule that a contract cannot express. */
  async #tryOtherBodies(base: Base, control: CaseResult): Promise<Base | undefined> {
    const { operation } = base;
    const [first, ...otherBodies] = createValidBodies(base.values, operation);
    for (const body of otherBodies.slice(0, MAX_OTHER_BODIES)) {
      const result = await this.#control({ ...base, body }, 'a valid request with another body');
      const success = this.#successOf(operation, result);
      if (!success || first?.value === undefined || body.value === undefined) continue;
      const [status = 0] = control.replies.map((reply) => reply.status);
      const text = `${operation.method} ${operation.path} refuses the body ${writeJson(first.value)} with ${String(status)}, but accepts ${writeJson(body.value)}. If a rule between properties is the reason, which a contract cannot express, give a body with --fixtures, places: { '${body.content.pointer}': [...] }`;
      const findings = control.findings.map((finding) =>
        finding.check === 'valid-refused' ? { ...finding, text } : finding,
      );
      return { ...base, body, success, controls: [...base.controls, { ...control, findings }, result] };
    }
    return undefined;
  }

  /** Adds a finding that no valid request succeeds, unless existing data or the service's own rules may be why. */
  #addNoSuccessFinding({ operation, sharedInstance }: Base, control: CaseResult): CaseResult {
    const { tools, suite } = this.#run;
    const [status = 0] = control.replies.map((reply) => reply.status);
    const isExistingInstance = sharedInstance?.isCreatedByRun === true && operation.path.endsWith('}');
    const isDeclared = findReply(operation, status) !== undefined;
    const isAboutState = ABOUT_STATE.has(status) && (isDeclared || operation.path.includes('{') || status === 409);
    const isDueToState = (isAboutState && !(isExistingInstance && status === 404)) || (isDeclared && status === 503);
    const isExcused = isDueToState || (!includes(suite.level, 'robust') && mayBeOwnRule(operation, status));
    if (isExcused || status === 0 || isLimited(tools.target, control.replies)) return control;
    return { ...control, findings: [...control.findings, ...toFindings('valid-refused', [NO_SUCCESS_TEXT])] };
  }

  #isAccepted(operation: Operation, result: CaseResult): boolean {
    return this.#successOf(operation, result) !== undefined;
  }

  #successOf(operation: Operation, result: CaseResult): WireReply | undefined {
    const success = findSuccess(operation, this.#run.tools.target, result);
    if (success) this.#acceptedOperations.add(operation);
    return success;
  }

  async #bindInstance(base: Base): Promise<Base> {
    const { links, instances, suite } = this.#run;
    const { operation } = base;
    const linkedOperation = findLinkedOperation(links, operation);
    const pathParameters = operation.parameters.filter((parameter) => parameter.in === 'path');
    const isGiven =
      pathParameters.length > 0 && pathParameters.every(({ pointer }) => base.values.fixtures.places.has(pointer));
    if (!linkedOperation || (isGiven && isHarmless(operation))) return base;
    const created = this.#findCreatedResource(operation);
    // This finds a parent that allows the creation if the shared one does not.
    if (created) await instances.createNew(created);
    const instance = await instances.parentFor(linkedOperation);
    // The suite never changes what others created, but it may read it or create something below it.
    const mayBeUsed = instance?.isCreatedByRun === true || isSafeMethod(operation);
    const isCreating = operation.method === 'POST' && (created !== undefined || operation.replies.has('201'));
    const sharedInstance = mayBeUsed || isCreating ? instance : undefined;
    const values = sharedInstance && (await instances.bindIds(linkedOperation, sharedInstance));
    if (values) return { ...base, linkedOperation, sharedInstance, values };
    const reason = `operations on a resource that the run could ${instance ? 'not create' : 'neither create nor find'}${instances.explainRefusal(linkedOperation.resource)}`;
    suite.model.contract.skipped.add({ reason, pointer: operation.pointer });
    return { ...base, linkedOperation, ...(instance !== sharedInstance && { problem: READ_ONLY_REASON }) };
  }

  // Excludes PUT, which may replace an instance instead of creating one.
  #findCreatedResource(operation: Operation) {
    const { resources } = this.#run.links;
    return operation.method === 'POST' ? resources.find(({ create }) => create === operation) : undefined;
  }

  /** Creates a subresource such as `/books/{id}/cover` with PUT, so that it can be read. */
  async #createByPut({ operation, sharedInstance }: Base): Promise<CaseResult[] | undefined> {
    const { links, instances, isControlled } = this.#run;
    const linkedPut = links.linkedOperations.find(
      ({ operation: { method, path } }) => method === 'PUT' && isSamePath(path, operation.path),
    );
    if (sharedInstance?.isCreatedByRun !== true || !linkedPut || linkedPut.operation === operation) return undefined;
    if (!isControlled(linkedPut.operation)) return undefined;
    const values = await instances.bindIds(linkedPut, sharedInstance);
    const base = await this.#baseOf(linkedPut.operation);
    return values && [await this.#sendTo({ ...base, values }, controlOf(base, 'put what is read'), sharedInstance)];
  }

  #control(base: Base, label: string): Promise<CaseResult> {
    return this.#send(base, controlOf(base, label));
  }

  /** A valid case that may change its instance gets a new one. All other cases share one. */
  async #send(base: Base, testCase: Case): Promise<CaseResult> {
    const { instances } = this.#run;
    const { operation, linkedOperation, sharedInstance } = base;
    const mayChange = ['accepted', 'answered'].includes(testCase.expect) && !isSafeMethod(operation);
    if (linkedOperation && !mayChange && !sharedInstance && !isHarmless(operation) && mayBeValid(testCase))
      return { case: testCase, replies: [], findings: [], unproven: NO_INSTANCE_REASON };
    if (!linkedOperation || !mayChange) {
      const result = await this.#sendTo(base, testCase, sharedInstance);
      const isRemoved = operation.method === 'DELETE' && result.replies.some(({ status }) => status < 300);
      if (isRemoved && sharedInstance) await this.#forget(sharedInstance);
      return result;
    }
    if (this.#findCreatedResource(operation)) return this.#sendBelow(base, testCase, linkedOperation);
    const created = await instances.createNew(linkedOperation.resource);
    // Without a new instance, this case uses up the shared one, so the next case has to create another.
    if (!created) instances.forgetShared(linkedOperation.resource);
    const instance = created ?? sharedInstance;
    const values = instance && (await instances.bindIds(linkedOperation, instance));
    if (!values && isHarmless(operation)) return this.#sendTo(base, testCase, undefined);
    const caseWithId = values && setBodyId(instance, testCase);
    if (caseWithId) return this.#sendTo({ ...base, values }, caseWithId, instance);
    return { case: testCase, replies: [], findings: [], unproven: values ? DIFFERENT_ID_REASON : NO_INSTANCE_REASON };
  }

  async #forget(instance: Instance): Promise<void> {
    this.#run.instances.forgetShared(instance.resource);
    for (const [operation, base] of this.#bases)
      if ((await base).sharedInstance === instance) this.#bases.delete(operation);
  }

  /** Sends a case below the shared parent, or if that fails, below others, since this one may be full or incomplete. */
  async #sendBelow(base: Base, testCase: Case, linkedOperation: LinkedOperation): Promise<CaseResult> {
    const { instances, tools } = this.#run;
    const result = await this.#sendTo(base, testCase, base.sharedInstance);
    if (base.sharedInstance?.isCreatedByRun !== true || result.findings.length > 0 || result.unproven !== undefined)
      return result;
    let lastResult = result;
    const { create } = linkedOperation.resource;
    for (const body of [...PARENT_BODY_INDEXES, ...(create ? createLargestBody(tools.values, create) : [])]) {
      if (findSuccess(base.operation, tools.target, lastResult)) break;
      const parent = await instances.createNew(linkedOperation.resource, body);
      const values = parent && (await instances.bindIds(linkedOperation, parent));
      if (values) lastResult = await this.#sendTo({ ...base, values }, testCase, parent);
    }
    return lastResult;
  }

  async #sendTo(base: Base, testCase: Case, instance: Instance | undefined): Promise<CaseResult> {
    const refusedParameter = [...base.omittedParameters].find(({ pointer }) => pointer === testCase.pointer);
    if (refusedParameter) {
      const unproven = `the server refuses the optional parameter ${refusedParameter.name} with the value that the suite sends`;
      return { case: testCase, replies: [], findings: [], unproven };
    }
    const sentResult = await this.#sendRebased(base, testCase, instance);
    const result = (await this.#isLostInAbsoluteForm(base, sentResult, instance))
      ? { ...sentResult, findings: toFindings('valid-refused', [ABSOLUTE_FORM_TEXT]) }
      : dropOtherPageFindings(base, sentResult);
    return base.problem === undefined ? result : dismissRefusal(result, base.problem);
  }

  /** Whether the server answers 404 to the absolute form of a target that it accepts in its usual form. */
  async #isLostInAbsoluteForm(base: Base, sent: CaseResult, instance: Instance | undefined): Promise<boolean> {
    const { class: caseClass, expect } = sent.case;
    const isLost = sent.replies.some(({ status }) => status === 404) && caseClass === 'path' && expect === 'accepted';
    if (!isLost || !base.success) return false;
    const usualFormResult = await this.#sendRebased(base, controlOf(base, 'the same in its usual form'), instance);
    return this.#isAccepted(base.operation, usualFormResult);
  }

  async #sendRebased(base: Base, testCase: Case, instance: Instance | undefined): Promise<CaseResult> {
    const { tools, instances } = this.#run;
    const { defaultRequest, operation, omittedParameters, values } = base;
    const { method } = testCase.request;
    // An undeclared method must not reach an instance that others created.
    const isForeign = instance?.isCreatedByRun === false && method !== operation.method && !isSafeMethod({ method });
    if (isForeign || (!instance && omittedParameters.size === 0 && !base.body))
      return runFresh(tools, testCase, instances.createIdFinder());
    const testedParameter = operation.parameters.find(({ pointer }) => pointer === testCase.pointer);
    const parameters = new Map<Parameter, ParameterText>([...omittedParameters].map((omitted) => [omitted, NOT_SENT]));
    if (testedParameter?.in === 'path')
      parameters.set(testedParameter, writeParameter(testedParameter, baseOfParameter(tools.values, testedParameter)));
    const realRequest = validRequest(values, operation, { parameters });
    // In an auth case, only the credentials may be wrong, so the body must be valid.
    const caseWithId = (instance && testCase.class === 'auth' ? setBodyId(instance, testCase) : undefined) ?? testCase;
    const request = rebase(caseWithId.request, defaultRequest, realRequest, testedParameter?.name);
    const rebasedCase = { ...caseWithId, request };
    const { value } = base.body ?? {};
    const caseToSend =
      (value === undefined ? undefined : changeBody(tools.values, operation, rebasedCase, () => value)) ?? rebasedCase;
    return runFresh(tools, caseToSend, instances.createIdFinder(instance ? [instance, ...instance.parents] : []));
  }
}

/** Picks the valid body with the largest numbers, for example the course with the most places. */
function createLargestBody(values: Values, create: Operation): ValidBody[] {
  const sumIntegers = ({ value }: ValidBody): number =>
    Object.values(objectOrEmpty(value)).reduce<number>(
      (sum, member) => sum + (typeof member === 'bigint' ? Number(member) : 0),
      0,
    );
  return createValidBodies(values, create)
    .toSorted((left, right) => sumIntegers(right) - sumIntegers(left))
    .slice(0, 1);
}

const MAX_OTHER_BODIES = 4;

// The indexes of the default body and the contract's examples in the result of `createValidBodies`.
const PARENT_BODY_INDEXES = [0, 2, 3];

const ABSOLUTE_FORM_TEXT = 'the status is 404 for the target in absolute form, but not in its usual form';

const NO_SUCCESS_TEXT = 'the server accepts no valid request to this operation';

const NO_INSTANCE_REASON = 'it may change something, and the run could not create anything that it may change';
const READ_ONLY_REASON = "no instance of the run's own is known: what others created is only read";
const DIFFERENT_ID_REASON = 'the id in its body differs from the one in its path';

function isGuessed({ fixtures }: Values, { in: location, pointer, schema, examples = [] }: Parameter): boolean {
  const isGiven = fixtures.places.has(pointer) || examples.length > 0 || examplesOf(schema).length > 0;
  return location === 'path' && !isGiven && rulesOf(schema, 'enum').length + rulesOf(schema, 'const').length === 0;
}

function describeUnknownIds({ operation, values, problem }: Base): string | undefined {
  const guessedParameters = operation.parameters.filter((parameter) => isGuessed(values, parameter));
  const names = guessedParameters.map(({ name }) => `{${name}}`).join(' and ');
  return names === '' ? undefined : (problem ?? `no value of ${names} is known that exists: give one with --fixtures`);
}

/** If ids are made up, for example, the reason for a refusal is unknown, so the refusal is not reported. */
function dismissRefusal(result: CaseResult, problem: string): CaseResult {
  const mayBeRefused = ['accepted', 'refused'].includes(result.case.expect);
  const isRefused = result.replies.some(({ status }) => status >= 400 && status < 500);
  if (!mayBeRefused || !isRefused) return result;
  return { ...result, unproven: problem, findings: result.findings.filter(({ check }) => check !== 'valid-refused') };
}

// A success with another media type may be a start page, so it does not prove unauthorized access.
function dropOtherPageFindings({ success }: Base, result: CaseResult): CaseResult {
  const isOtherPage =
    success && result.replies.some((reply) => reply.status < 300 && typesOf(reply) !== typesOf(success));
  if (!isOtherPage || !result.findings.some(({ check }) => check === 'unauthorized-accepted')) return result;
  const isStillValid = ({ check }: Finding): boolean =>
    check !== 'unauthorized-accepted' && !(result.case.class === 'path' && BY_DECLARED_REPLY.has(check));
  return { ...result, findings: result.findings.filter(isStillValid) };
}

function typesOf(reply: WireReply): string {
  return valuesOf(reply, 'content-type').map(essenceOf).join();
}

function optionalParametersOf({ parameters }: Operation): Parameter[] {
  return parameters.filter((parameter) => !parameter.isRequired && !isGivenByReply(parameter));
}

function describeRefusal(
  { operation, values }: Base,
  parameter: Parameter,
  { result, bareControl }: { readonly result: CaseResult; readonly bareControl: CaseResult },
): CaseResult {
  const { method, path } = operation;
  const [status = 0, accepted = 0] = [result, bareControl].map(({ replies }) => replies.at(-1)?.status);
  const value = writeJson(baseOfParameter(values, parameter));
  const undeclaredText = findReply(operation, status) ? '' : `, and does not declare ${String(status)}`;
  const text = `${method} ${path} refuses its optional parameter ${parameter.name} (${value}) with ${String(status)}; without it, it answers ${String(accepted)}. The contract allows this value${undeclaredText}: let it say which values are right, or give one with --fixtures, places: { '${parameter.pointer}': [...] }`;
  const findings = result.findings.map((finding) =>
    finding.check === 'valid-refused' ? { ...finding, text } : finding,
  );
  return { ...result, case: { ...result.case, pointer: parameter.pointer }, findings, unproven: text };
}

function controlOf({ operation: { id, pointer, method, path }, defaultRequest }: Base, label: string): Case {
  const place = `${method} ${path}`;
  return { operation: id, place, class: 'control', pointer, label, request: defaultRequest, expect: 'accepted' };
}

/** Puts the instance's id into the body too, since no standard says whether the path or the body counts. */
function setBodyId({ resource: { idExpressions }, id }: Instance, testCase: Case): Case | undefined {
  const value = requestBodyOf(testCase);
  if (findChosenIds(value, idExpressions).every((chosenId) => isSame(chosenId, id))) return testCase;
  const { request, interpretation } = testCase;
  if (value === undefined || request.body?.equals(toBody(writeJson(value))) !== true) return undefined;
  const valueWithId = replaceChosenId(value, idExpressions, id);
  return {
    ...testCase,
    request: { ...request, body: toBody(writeJson(valueWithId)) },
    ...(interpretation && { interpretation: { ...interpretation, value: valueWithId } }),
  };
}

export interface StatefulOptions {
  /** Whether scenarios may call an operation; by default, they may call all of them. */
  readonly isWanted?: (operation: Operation) => boolean;
  /** Whether valid requests may be sent as controls and to create what other cases need; by default, none may. */
  readonly isControlled?: (operation: Operation) => boolean;
}

export interface InstanceRun {
  readonly suite: Suite;
  readonly tools: Tools;
  readonly links: Links;
  readonly instances: InstanceStore;
  readonly isAllowed: (operation: Operation) => boolean;
  readonly isControlled: (operation: Operation) => boolean;
}
