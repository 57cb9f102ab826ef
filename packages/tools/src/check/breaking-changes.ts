// Finds what a new version of a contract breaks for clients of an older one.
import type { NormalizedDocument, Mistake, Operation, NormalizedSchema } from '@contract-kit/server/contract';
import type { Analysis } from '../lint/analyse-contract';
import { createSchemaComparison, type CompareSchemas } from './schema-changes';

type Contract = Pick<Analysis, 'document' | 'operations' | 'catalogue'>;
type BreakingChange = Pick<Mistake, 'node' | 'key' | 'message'>;

/**
 * Finds the changes that are certain to wrong a client of the older contract: a request that was right is refused, or a
 * reply is what the older contract did not say. The node of each is in the newer document.
 */
export function findBreakingChanges(before: Contract, after: Contract): BreakingChange[] {
  const operations = new Map(after.operations.map((operation) => [toOperationKey(operation), operation]));
  const requests = createSchemaComparison(before.document, after.document, false);
  const replies = createSchemaComparison(before.document, after.document, true);
  return [
    ...before.operations.flatMap((old): BreakingChange[] => {
      const now = operations.get(toOperationKey(old));
      if (!now) return [{ node: after.document, key: 'paths', message: `${old.method} ${old.path} is gone` }];
      const messages = [
        ...compareSecurity(toAlternatives(before.document, old), toAlternatives(after.document, now)),
        ...compareMembers(listParameters(old), listParameters(now), requests, false),
        ...compareBodies(old, now, requests),
        ...compareReplies(old, now, replies),
      ];
      return messages.map((message) => ({ node: now.object, key: undefined, message }));
    }),
    ...compareCatalogues(before, after),
  ];
}

// Clients do not see the names of path parameters.
function toOperationKey({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
}

/** A parameter or a header. */
interface Member extends Pick<Operation['parameters'][number], 'isRequired' | 'schema' | 'style' | 'explode'> {
  readonly name: string;
}

// Header names are case-insensitive; path parameters are identified by their position in the path.
function listParameters({ path, parameters }: Operation): Member[] {
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  return parameters.map(({ location, name, ...rest }) => {
    const normalizedName = location === 'header' ? name.toLowerCase() : name;
    return {
      ...rest,
      name: location === 'path' ? `path {${String(inPath.indexOf(name) + 1)}}` : `${location} ${normalizedName}`,
    };
  });
}

function compareMembers(
  before: readonly Member[],
  after: readonly Member[],
  compare: CompareSchemas,
  isReply: boolean,
): string[] {
  const names = new Set([...before, ...after].map(({ name }) => name));
  return [...names].flatMap((name) => {
    const [old, now] = [before, after].map((members) => members.find((member) => member.name === name));
    if (!now) return [`${name} is gone`];
    const [sent, accepted] = isReply ? [now, old] : [old, now];
    const isBreaking = accepted?.isRequired === true && sent?.isRequired !== true;
    const required = isBreaking ? [`${name} is ${isReply ? 'optional' : 'required'} now`] : [];
    if (!old) return required;
    const changed = (['style', 'explode'] as const).filter((key) => old[key] !== now[key]);
    return [
      ...required,
      ...changed.map((key) => `${name}: ${key} ${String(old[key])} -> ${String(now[key])}`),
      ...compare(old.schema, now.schema, name),
    ];
  });
}

function compareBodies({ body: old }: Operation, { body: now }: Operation, compare: CompareSchemas): string[] {
  if (old && !now) return ['the body is gone'];
  const isRequiredNow = now?.isRequired === true && old?.isRequired !== true;
  return [
    ...(isRequiredNow ? ['the body is required now'] : []),
    ...(old && now ? compareMedia('body', old.media, now.media, compare) : []),
  ];
}

type Media = NonNullable<Operation['body']>['media'];

// A new media type breaks no client: none sends it, and those that were there can still be asked for.
function compareMedia(name: string, before: Media, after: Media, compare: CompareSchemas): string[] {
  return [...before].flatMap(([type, old]) => {
    const now =
      after.get(type) ?? [...after.values()].find((one) => isInRange(one.type, type) || isInRange(type, one.type));
    return now ? compare(bodyOf(old), bodyOf(now), name) : [`${name} of ${type} is gone`];
  });
}

// The schema of a message has that of the body as a property.
function bodyOf({ schema }: { readonly schema: NormalizedSchema }): NormalizedSchema {
  return schema.properties?.['body'] ?? {};
}

function isInRange(range: string, type: string): boolean {
  return range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

type Replies = Operation['replies'];

// A status that is declared by a range or as the default may get a reply of its own, and the other way round. A client
// cannot miss a failure of the server, and takes a new status for the x00 of its class (RFC 9110 section 15).
function compareReplies(
  { replies: before }: Operation,
  { replies: after }: Operation,
  compare: CompareSchemas,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((status) => {
    const name = `reply ${String(status)}`;
    const [old, now] = [findReply(before, status), findReply(after, status)];
    if (!old) return [];
    if (!now) return /^[234]/.test(String(status)) ? [`${name} is gone`] : [];
    const toMembers = ({ headers }: typeof old): Member[] =>
      headers.map((header) => ({ ...header, name: `${name} header ${header.name.toLowerCase()}` }));
    return [
      ...compareMembers(toMembers(old), toMembers(now), compare, true),
      ...compareMedia(name, old.media, now.media, compare),
    ];
  });
}

function findReply(replies: Replies, status: Parameters<Replies['get']>[0]): ReturnType<Replies['get']> {
  const range = `${String(status).charAt(0)}XX` as Parameters<Replies['get']>[0];
  return replies.get(status) ?? replies.get(range) ?? replies.get('default');
}

/** The credentials that one security requirement needs together. */
type Alternative = readonly { readonly name: string; readonly scheme: string; readonly scopes: readonly string[] }[];

// A scheme is known by what it is, so that another name of it changes nothing. Without security, none is needed.
function toAlternatives(document: NormalizedDocument, { security }: Operation): Alternative[] {
  const alternatives = security.length === 0 ? [[]] : security;
  return alternatives.map((requirement) =>
    requirement.map(({ scheme: name, scopes, challenge }) => {
      const { in: location, name: key } = (document.components?.securitySchemes?.[name] ?? {}) as Record<
        string,
        unknown
      >;
      return { name, scopes, scheme: JSON.stringify([challenge, location, key]) };
    }),
  );
}

// Finds credentials that were sufficient for an operation and no longer are.
function compareSecurity(before: readonly Alternative[], after: readonly Alternative[]): string[] {
  const isEnough = (given: Alternative): boolean =>
    after.some((needed) =>
      needed.every(({ scheme, scopes }) => {
        const same = given.find((one) => one.scheme === scheme);
        return same !== undefined && scopes.every((scope) => same.scopes.includes(scope));
      }),
    );
  return before
    .filter((given) => !isEnough(given))
    .map((given) => {
      const names = given.map(({ name }) => name).join(' with ');
      return `${names === '' ? 'no credentials' : `the credentials of ${names}`} are not enough now`;
    });
}

// Clients know an error by its number: it keeps its name and its status. The meaning is a text for people.
function compareCatalogues(before: Contract, { catalogue }: Contract): BreakingChange[] {
  const byNumber = new Map(Object.entries(catalogue).map(([name, row]) => [row.number, { name, status: row.status }]));
  return Object.entries(before.catalogue).flatMap(([name, { number, status }]) => {
    const now = byNumber.get(number);
    if (now?.name === name && now.status === status) return [];
    const meaning = now ? `${now.name} with status ${String(now.status)} now` : 'gone';
    const message = `the error ${String(number)}, ${name} with status ${String(status)}, is ${meaning}`;
    return [{ node: catalogue, key: now?.name, message }];
  });
}
