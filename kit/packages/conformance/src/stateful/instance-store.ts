// Creates or finds the instances that cases need, with the ids that the server gives them.
import { randomInt } from 'node:crypto';
import type { CaseResult } from '../oracle/checks';
import type { Operation, Parameter } from '../contract/model';
import { writeContent } from '../contract/serialization';
import { baseValue } from '../generators/body-values';
import { validRequest } from '../generators/valid-request';
import { jsonBodyOf } from '../oracle/body';
import { runCase, type Tools } from '../exchange/run-case';
import type { Values } from '../values/variant';
import { isJsonList, isJsonObject, objectOrEmpty, toJson, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { isSamePath } from '../contract/path-template';
import {
  chooseBodiesToTry,
  createValidBodies,
  freshenBody,
  createFreshValue,
  listNames,
  type FindReferencedId,
  type ValidBody,
} from './bodies';
import { findId, replaceChosenId } from './find-id';
import { findActions, findLinkedOperation, findReferencedResource, type LinkedOperation, type Links } from './links';
import type { Resource } from './resources';
import { resolveFragment, evaluate, type RequestAndReply } from './runtime-expression';
import type { Case } from '../generators/case';
import type { WireRequest } from '../wire/request';
import { toOtherCaller } from '../wire/secret';

interface CollectionContext {
  readonly values: Values;
  readonly parents: readonly Instance[];
  /** Set for a PUT that creates: the new id, and whether a read found nothing there before. */
  readonly newId?: Json;
  readonly wasMissing?: boolean;
}

const MAX_SEQUENCES = 4;

/** Actions to call on an instance before creating something below it; undefined stands for no action. */
type ActionSequence = readonly (LinkedOperation | undefined)[];

export class InstanceStore {
  readonly #tools: Tools;
  readonly #links: Links;
  readonly #isWanted: (operation: Operation) => boolean;
  readonly #mayReplace: (operation: Operation) => boolean;
  readonly #sharedInstances = new Map<Resource, Promise<Instance | undefined>>();
  readonly #results: CaseResult[] = [];
  /** Path and id of each instance whose id the run chose, such as `/books/{isbn} 9780140449136`. */
  readonly #usedIds = new Set<string>();

  /** The ids that bodies refer to; undefined if nothing could be created or found. */
  readonly #referencedIds = new Map<Resource, Json | undefined>();

  /** For each creating operation, a parent below which it succeeded after a refusal below another parent. */
  readonly #openParents = new Map<Operation, Instance>();

  readonly #openingActions = new Map<Operation, ActionSequence>();

  /** Operations that created nothing below any new parent. */
  readonly #refusedCreations = new Set<Operation>();

  /** The latest refusal to create an instance, such as `POST /books answers 422`. */
  readonly #refusals = new Map<Resource, string>();

  readonly #sentTexts = new Map<string, SentText>();

  #nonce = 0;

  /** `mayReplace` decides whether a PUT may use a new id that is not known to be free. */
  constructor(tools: Tools, links: Links, isWanted: (operation: Operation) => boolean, mayReplace = isWanted) {
    this.#tools = tools;
    this.#links = links;
    this.#isWanted = isWanted;
    this.#mayReplace = mayReplace;
  }

  takeResults(): CaseResult[] {
    return this.#results.splice(0);
  }

  /** Creates the instance that cases share, or else finds one in a list; undefined if neither is possible. */
  getShared(resource: Resource): Promise<Instance | undefined> {
    const instance =
      this.#sharedInstances.get(resource) ??
      this.createNew(resource).then(async (created) => created ?? (await this.#findListed(resource)));
    this.#sharedInstances.set(resource, instance);
    return instance;
  }

  forgetShared(resource: Resource): void {
    this.#sharedInstances.delete(resource);
  }

  /** Returns undefined if nothing is created or its id is unknown. A number is the index of the first body to try. */
  async createNew(
    resource: Resource,
    body: number | ValidBody = 0,
    ownParent?: Instance,
  ): Promise<Instance | undefined> {
    const { create } = resource;
    if (!create || !this.#isWanted(create)) return undefined;
    await this.prepareReferences(create);
    const context = await (create.method === 'PUT'
      ? this.#bindNewId(resource, create, ownParent)
      : this.#bindParentIds(create, ownParent));
    if (!context) return undefined;
    const created = await this.#createIn(context, resource, create, body);
    if (created !== 'refused') return created;
    if (typeof body !== 'number' || create.method === 'PUT') return undefined;
    if (ownParent) return this.#createAfter(this.#openingActions.get(create) ?? [], resource, ownParent, body);
    const parent = context.parents.at(-1);
    return parent?.isCreatedByRun === true ? this.#createInNewParent(resource, create, parent, body) : undefined;
  }

  // Tries new parents, since this one may be full or closed, and calls actions such as `/invoices/{id}/send`.
  async #createInNewParent(
    resource: Resource,
    create: Operation,
    parent: Instance,
    body: number,
  ): Promise<Instance | undefined> {
    const actions = this.#refusedCreations.has(create) ? [] : findActions(this.#links, parent.resource, this.#isWanted);
    const sequences = actions.map((_action, index) => actions.slice(index)).slice(0, MAX_SEQUENCES);
    for (const sequence of [[undefined], ...sequences]) {
      const newParent = await this.createNew(parent.resource, 0, parent.parents.at(-1));
      if (!newParent) return undefined;
      const created = await this.#createAfter(sequence, resource, newParent, body);
      if (!created) continue;
      this.#openParents.set(create, newParent);
      this.#openingActions.set(create, sequence);
      return created;
    }
    if (!this.#openParents.has(create)) this.#refusedCreations.add(create);
    return undefined;
  }

  async #createAfter(
    sequence: ActionSequence,
    resource: Resource,
    parent: Instance,
    body: number,
  ): Promise<Instance | undefined> {
    const { create } = resource;
    const context = create && (await this.#bindParentIds(create, parent));
    if (!context) return undefined;
    for (const action of sequence) {
      if (action && !(await this.#callAction(action, parent))) continue;
      const created = await this.#createIn(context, resource, create, body);
      if (created !== 'refused') return created;
    }
    return undefined;
  }

  async #callAction(action: LinkedOperation, instance: Instance): Promise<boolean> {
    const values = await this.bindIds(action, instance);
    const [body] = createValidBodies(this.#tools.values, action.operation);
    const freshBody = body && this.freshen(body, instance);
    const exchange = values && (await this.#send(values, action.operation, freshBody, 'call the action'));
    return exchange !== undefined && exchange.reply.status < 300;
  }

  /** Returns the instance to create or list below, preferably one that is known to accept the creation. */
  parentFor({ operation, resource }: LinkedOperation): Promise<Instance | undefined> {
    const created = this.#links.resources.find(({ create, list }) => [create, list?.operation].includes(operation));
    const openParent = created?.create && this.#openParents.get(created.create);
    return openParent ? Promise.resolve(openParent) : this.getShared(resource);
  }

  /** Creates or finds the instances that bodies refer to, such as the shelf of a `shelfId`. No case changes them. */
  async prepareReferences({ body }: Operation): Promise<void> {
    const [content] = body?.contents ?? [];
    if (content?.kind !== 'json') return;
    const base = content.schema.contract.skipped.attempt(() => toJson(baseValue(this.#tools.values, content)), null);
    for (const name of listNames(base)) {
      const resource = findReferencedResource(this.#links, name);
      if (!resource || this.#referencedIds.has(resource)) continue;
      // Set first, so that resources that refer to each other do not recurse endlessly.
      this.#referencedIds.set(resource, undefined);
      const first = await this.createNew(resource);
      // Cases with a made-up id use 1, so one of them may delete the instance with that id.
      const created = first?.id === 1n ? await this.createNew(resource) : first;
      const instance = created ?? (await this.#findListed(resource));
      this.#referencedIds.set(resource, instance?.id);
    }
  }

  createIdFinder(instances: readonly InstanceKey[] = []): FindReferencedId {
    return (name) => {
      const resource = findReferencedResource(this.#links, name);
      const instance = instances.find((instance) => instance.resource === resource);
      return resource && (instance?.id ?? this.#referencedIds.get(resource));
    };
  }

  /** Replaces strings with unique ones and sets the id. `isTaken` means that one of the values exists already. */
  freshen(body: ValidBody, instance?: InstanceAddress, isTaken = false): ValidBody {
    this.#nonce += 1;
    const nonce = isTaken ? randomInt(2 ** 31) : this.#nonce;
    const findReferencedId = this.createIdFinder(instance?.parents);
    const freshBody = freshenBody(this.#tools.values, body, { nonce, isTaken, findReferencedId });
    return instance?.id === undefined ? freshBody : setChosenId(freshBody, { ...instance, id: instance.id });
  }

  /** Records the body's unique strings and the id that they were sent for, which is undefined for a refused request. */
  recordSent(resource: Resource, body: ValidBody | undefined, id: Json | undefined): void {
    for (const text of Object.values(objectOrEmpty(body?.value)))
      if (typeof text === 'string' && text.startsWith(`${this.#tools.values.marker}-`))
        this.#sentTexts.set(text, { resource, id });
  }

  findSent(resource: Resource, text: Json): SentText | undefined {
    const sent = typeof text === 'string' ? this.#sentTexts.get(text) : undefined;
    return sent?.resource === resource ? sent : undefined;
  }

  async #createIn(
    context: CollectionContext,
    resource: Resource,
    create: Operation,
    bodyOrIndex: number | ValidBody,
  ): Promise<Instance | 'refused' | undefined> {
    const { values, newId, parents } = context;
    const bodies =
      typeof bodyOrIndex === 'number'
        ? chooseBodiesToTry(values, resource, { bodyNumber: bodyOrIndex, usedIds: this.#usedIds })
        : [bodyOrIndex];
    for (const validBody of bodies) {
      const address = { resource, id: newId, parents };
      let body = validBody && this.freshen(validBody, address);
      let exchange = await this.#send(values, create, body);
      if (body && exchange?.reply.status === 409) {
        body = this.freshen(body, address, true);
        exchange = await this.#send(values, create, body);
      }
      if (!exchange || exchange.reply.status >= 500) return undefined;
      if (exchange.reply.status < 300) return this.#toInstance(resource, context, exchange, body);
      this.#refusals.set(resource, `${create.method} ${create.path} answers ${String(exchange.reply.status)}`);
    }
    return 'refused';
  }

  explainRefusal(resource: Resource): string {
    const refusal = this.#refusals.get(resource);
    return refusal === undefined ? '' : ` (${refusal})`;
  }

  #toInstance(
    resource: Resource,
    { parents, wasMissing = false }: CollectionContext,
    exchange: RequestAndReply,
    body: ValidBody | undefined,
  ): Instance | undefined {
    const { reply } = exchange;
    // After a 202, the instance may not exist yet or may disappear again; `followAccepted` checks it.
    const id = reply.status === 202 ? undefined : findId(resource, exchange, this.#tools.target.base);
    if (id === undefined) return undefined;
    if (resource.isIdChosenByClient) this.#usedIds.add(`${resource.path} ${toText(id)}`);
    // If the client chose the id, only a 201 proves that the instance is new.
    const isCreatedByRun = reply.status === 201 || wasMissing || !resource.isIdChosenByClient;
    return { resource, id, parents, exchange, isCreatedByRun, wasMissing, body, etag: valuesOf(reply, 'etag')[0] };
  }

  async #findListed(resource: Resource): Promise<Instance | undefined> {
    const { list } = resource;
    if (list?.idProperty === undefined || !this.#isWanted(list.operation)) return undefined;
    const context = await this.#bindParentIds(list.operation);
    if (!context) return undefined;
    const exchange = await this.#send(context.values, list.operation, undefined);
    const items = exchange && resolveFragment(jsonBodyOf(exchange.reply), list.itemsPointer);
    const item = isJsonList(items) ? items[0] : undefined;
    const id = isJsonObject(item) ? item[list.idProperty] : undefined;
    if (!exchange || id === undefined) return undefined;
    const { parents } = context;
    return { resource, id, parents, exchange, isCreatedByRun: false, body: undefined, etag: undefined };
  }

  /** Binds parents' ids, such as a shelf's for `POST /shelves/{shelf}/books`; undefined if one is unknown. */
  async valuesWithParentIds(operation: Operation, ownParent?: Instance): Promise<Values | undefined> {
    return (await this.#bindParentIds(operation, ownParent))?.values;
  }

  async #bindParentIds(operation: Operation, ownParent?: Instance): Promise<CollectionContext | undefined> {
    const linkedOperation = findLinkedOperation(this.#links, operation);
    // Without path parameters, no parents are needed. With them, no operation provides the ids.
    if (!linkedOperation) return operation.path.includes('{') ? undefined : { values: this.#tools.values, parents: [] };
    const parent = ownParent ?? (await this.parentFor(linkedOperation));
    const values = parent && (await this.bindIds(linkedOperation, parent));
    return values && { values, parents: [...parent.parents, parent] };
  }

  async #bindNewId(resource: Resource, put: Operation, ownParent?: Instance): Promise<CollectionContext | undefined> {
    const linkedOperation = findLinkedOperation(this.#links, put);
    const [parameter] =
      [...(linkedOperation?.origins ?? [])].find(
        ([, origin]) => 'resource' in origin && origin.resource === resource,
      ) ?? [];
    if (!linkedOperation || !parameter) return undefined;
    const parentResources = [...linkedOperation.origins.values()].flatMap((origin) =>
      'resource' in origin && origin.resource !== resource ? [origin.resource] : [],
    );
    const parentsOrUnknown = ownParent
      ? [...ownParent.parents, ownParent]
      : await Promise.all(parentResources.map((parentResource) => this.getShared(parentResource)));
    const parents = parentsOrUnknown.filter((parent) => parent !== undefined);
    this.#nonce += 1;
    const newId = createFreshValue(this.#tools.values, parameter, this.#nonce);
    const values = await this.bindIds(linkedOperation, { resource, id: newId, parents });
    const read = this.#links.linkedOperations.find(
      ({ operation }) => operation.method === 'GET' && isSamePath(operation.path, resource.path),
    );
    const readValues = read && (await this.bindIds(read, { resource, id: newId, parents }));
    const exchangeBefore = readValues && (await this.#send(readValues, read.operation, undefined, READ_NEW_ID_STEP));
    const wasMissing = exchangeBefore?.reply.status === 404 || exchangeBefore?.reply.status === 410;
    return values && (wasMissing || this.#mayReplace(put)) ? { values, parents, newId, wasMissing } : undefined;
  }

  /** Binds the instance's ids and entity tag; undefined if a required parameter has no known value. */
  async bindIds({ operation, origins }: LinkedOperation, instance: BindableInstance): Promise<Values | undefined> {
    const { values } = this.#tools;
    const places = new Map(values.fixtures.places);
    for (const [parameter, origin] of origins) {
      // Fixtures take precedence over the ids of parents.
      const isOwnId = 'resource' in origin && origin.resource === instance.resource;
      if (!isOwnId && places.has(parameter.pointer)) continue;
      const value =
        'resource' in origin
          ? (findAncestor(instance, origin.resource) ?? (await this.getShared(origin.resource)))?.id
          : instance.exchange && evaluate(origin.expression, instance.exchange);
      if (value !== undefined && isSendable(parameter, value)) places.set(parameter.pointer, [value]);
      else if (parameter.isRequired) return undefined;
    }
    const ifMatch = operation.parameters.find(isIfMatch);
    if (ifMatch && instance.etag !== undefined) places.set(ifMatch.pointer, [instance.etag]);
    return { ...values, fixtures: { ...values.fixtures, places } };
  }

  async #send(
    values: Values,
    operation: Operation,
    body: ValidBody | undefined,
    step: StepOrLabel = { label: body ? `create, ${body.label}` : 'find an existing one', expect: expectationOf(body) },
  ): Promise<RequestAndReply | undefined> {
    const request = validRequest(values, operation, body);
    const result = await sendValid(this.#tools, operation, request, step);
    this.#results.push(result);
    const [reply] = result.replies;
    return reply && { operation, request: result.case.request, reply };
  }
}

interface SentText {
  readonly resource: Resource;
  readonly id: Json | undefined;
}

type BindableInstance = InstanceKey & Pick<Instance, 'parents'> & Partial<Pick<Instance, 'exchange' | 'etag'>>;

interface InstanceKey {
  readonly resource: Resource;
  readonly id: Json;
}

interface InstanceAddress extends Pick<Instance, 'resource' | 'parents'> {
  readonly id: Json | undefined;
}

export interface Instance extends InstanceKey {
  /** The instances whose ids come before this one's in the path. */
  readonly parents: readonly Instance[];
  readonly exchange: RequestAndReply;
  /** If false, the suite never changes the instance. */
  readonly isCreatedByRun: boolean;
  readonly wasMissing?: boolean;
  readonly body: ValidBody | undefined;
  readonly etag: string | undefined;
}

/** Puts the instance's id into a body if clients choose ids. */
export function setChosenId(body: ValidBody, { id, resource: { idExpressions } }: InstanceKey): ValidBody {
  if (body.value === undefined) return body;
  const value = replaceChosenId(body.value, idExpressions, id);
  return { ...body, value, body: writeContent(body.content, value) };
}

export function isIfMatch({ in: location, name }: Parameter): boolean {
  return location === 'header' && name.toLowerCase() === 'if-match';
}

function findAncestor(instance: BindableInstance, resource: Resource): InstanceKey | undefined {
  return [instance, ...instance.parents].find((candidate) => candidate.resource === resource);
}

/** Whether a value can be sent. A line break in a header, for example, would begin another header. */
function isSendable({ in: location }: Parameter, value: Json): boolean {
  return location === 'path' || location === 'query' || /^[ -~]*$/.test(toText(value));
}

/** A standard may let a server refuse a valid body. */
export function expectationOf(body: ValidBody | undefined): 'accepted' | 'answered' {
  return body?.mayBeRefused === true ? 'answered' : 'accepted';
}

type StepOrLabel = string | Pick<Case, 'label' | 'expect'>;

const READ_NEW_ID_STEP = { label: 'read what has a new id', expect: 'answered' } as const;

/** `step` is the request's label in reports, such as `read it`, and the expected outcome, by default a success. */
export function sendValid(
  { oracle, target, isOtherCaller = false }: Tools,
  operation: Operation,
  request: WireRequest,
  step: StepOrLabel,
): Promise<CaseResult> {
  const { label, expect } = typeof step === 'string' ? ({ label: step, expect: 'accepted' } as const) : step;
  const testCase: Case = {
    operation: operation.id,
    place: `${operation.method} ${operation.path}`,
    class: 'stateful',
    pointer: operation.pointer,
    label,
    // A value that the suite could not make is a placeholder, which may be invalid.
    expect: expect === 'accepted' && request.skipReason ? 'answered' : expect,
    request: isOtherCaller ? useOtherCaller(request) : request,
  };
  return runCase(oracle, target, testCase);
}

function useOtherCaller(request: WireRequest): WireRequest {
  const headers = request.headers.map(([name, value]) => [name, toOtherCaller(value)] as const);
  return { ...request, target: toOtherCaller(request.target), headers };
}
