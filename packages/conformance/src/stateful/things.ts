// Creates and finds the things that cases need.
import type { Case } from '../case';
import type { Operation, Parameter } from '../contract/model';
import { validRequest } from '../generators/valid-request';
import { bodyOf } from '../oracle/body';
import { runCase, type CaseResult, type Tools } from '../run-case';
import type { Values } from '../values/variant';
import { isJsonList, isJsonObject, toText, type Json } from '../wire/json';
import { valuesOf } from '../wire/reply';
import { bodiesToTry, type Body } from './bodies';
import { linkOf, type Link, type Links } from './links';
import { findId } from './find-id';
import type { Resource } from './resources';
import { evaluate, resolveFragment } from './runtime-expression';
import { isIfMatch, type Thing } from './thing';

/** Creates things and finds them. */
export interface Things {
  /** A shared thing of a resource; undefined when none can be created or found. */
  readonly get: (resource: Resource) => Promise<Thing | undefined>;
  /** Creates a new thing, with the default body or another by the choice. */
  readonly make: (resource: Resource, choice?: number) => Promise<Thing | undefined>;
  /** Values with the ids of the parents, for an operation that creates or lists things. */
  readonly valuesFor: (operation: Operation) => Promise<Values | undefined>;
  /** Values with the ids of a thing, for an operation on it; undefined when one of them is unknown. */
  readonly bind: (link: Link, thing: Thing) => Promise<Values | undefined>;
  /** Drops the shared thing, so that the next `get` creates another. */
  readonly forget: (resource: Resource) => void;
  /** The results of all requests that created or found things. */
  readonly results: CaseResult[];
}

/**
 * Creates the store of the things that a run uses.
 *
 * @param isWanted whether an operation may be called
 */
export function createThings(tools: Tools, links: Links, isWanted: (operation: Operation) => boolean): Things {
  const known = new Map<Resource, Promise<Thing | undefined>>();
  const results: CaseResult[] = [];
  // Ids that the run chose.
  const usedIds = new Set<string>();
  return { get, make, bind, results, valuesFor, forget: (resource) => known.delete(resource) };

  function get(resource: Resource): Promise<Thing | undefined> {
    const found = known.get(resource) ?? make(resource).then(async (made) => made ?? (await find(resource)));
    known.set(resource, found);
    return found;
  }

  async function make(resource: Resource, choice = 0, isAgain = false): Promise<Thing | undefined> {
    const { create } = resource;
    if (!create || !isWanted(create)) return undefined;
    const context = await findContext(create);
    if (!context) return undefined;
    for (const body of bodiesToTry(context.values, resource, { choice, used: usedIds })) {
      const result = await send(context.values, create, body);
      const [reply] = result.replies;
      if (!reply || reply.status >= 500) return undefined;
      if (reply.status >= 300) continue;
      // It may be created later: its id is unknown.
      if (reply.status === 202) return undefined;
      const exchange = { operation: create, request: result.case.request, reply };
      const id = findId(resource, exchange, tools.target.base);
      if (id === undefined) return undefined;
      if (resource.isChosen) usedIds.add(`${resource.path} ${toText(id)}`);
      // With an id that the client chose, only 201 says that the thing did not exist before.
      const isOurs = reply.status === 201 || !resource.isChosen;
      return { resource, id, parents: context.parents, exchange, isOurs, body, tag: valuesOf(reply, 'etag')[0] };
    }
    const parent = context.parents.at(-1);
    if (isAgain || !parent?.isOurs) return undefined;
    // The parent may be full, such as a course: try once more with a new one.
    known.delete(parent.resource);
    return make(resource, choice, true);
  }

  async function find(resource: Resource): Promise<Thing | undefined> {
    const { list } = resource;
    if (list?.property === undefined || !isWanted(list.operation)) return undefined;
    const context = await findContext(list.operation);
    if (!context) return undefined;
    const result = await send(context.values, list.operation, undefined);
    const [reply] = result.replies;
    const items = reply && resolveFragment(bodyOf(reply), list.items);
    const item = isJsonList(items) ? items[0] : undefined;
    const id = isJsonObject(item) ? item[list.property] : undefined;
    if (!reply || id === undefined) return undefined;
    const exchange = { operation: list.operation, request: result.case.request, reply };
    return {
      resource,
      id,
      parents: context.parents,
      exchange,
      isOurs: false,
      body: undefined,
      tag: undefined,
    };
  }

  /** Binds the ids of the parents, for an operation that creates or lists things. */
  async function findContext(
    operation: Operation,
  ): Promise<{ readonly values: Values; readonly parents: readonly Thing[] } | undefined> {
    const link = linkOf(links, operation);
    if (!link) return operation.path.includes('{') ? undefined : { values: tools.values, parents: [] };
    const parent = await get(link.resource);
    const values = parent && (await bind(link, parent));
    return values && { values, parents: [...parent.parents, parent] };
  }

  async function valuesFor(operation: Operation): Promise<Values | undefined> {
    return (await findContext(operation))?.values;
  }

  async function bind(link: Link, thing: Thing): Promise<Values | undefined> {
    const places = new Map(tools.values.given.places);
    for (const [parameter, origin] of link.origins) {
      const value =
        'resource' in origin
          ? (await findAncestor(thing, origin.resource))?.id
          : evaluate(origin.expression, thing.exchange);
      if (value !== undefined && isSendable(parameter, value)) places.set(parameter.pointer, [value]);
      else if (parameter.isRequired) return undefined;
    }
    const match = link.operation.parameters.find(isIfMatch);
    if (match && thing.tag !== undefined) places.set(match.pointer, [thing.tag]);
    return { ...tools.values, given: { ...tools.values.given, places } };
  }

  async function findAncestor(thing: Thing, resource: Resource): Promise<Thing | undefined> {
    return [thing, ...thing.parents].find((thing) => thing.resource === resource) ?? (await get(resource));
  }

  async function send(values: Values, operation: Operation, body: Body | undefined): Promise<CaseResult> {
    const derived: Case = {
      operation: operation.id,
      class: 'stateful',
      pointer: operation.pointer,
      label: body ? `makes one, ${body.label}` : 'finds one',
      covers: [],
      request: validRequest(values, operation, body && { body: body.bytes, content: body.content }),
      expect: 'accepted',
    };
    const result = await runCase(tools.oracle, tools.target, derived);
    results.push(result);
    return result;
  }
}

// A value from the server must not inject a header.
function isSendable({ in: place }: Parameter, value: Json): boolean {
  return place === 'path' || place === 'query' || /^[ -~]*$/.test(toText(value));
}
