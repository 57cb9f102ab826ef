// Finds what a new version of a contract breaks for clients of an older one.
import type { NormalizedDocument, Mistake, Operation, NormalizedSchema as Schema } from '@contract-kit/contract';
import type { Analysis } from '../lint/analyse-contract';
import { createSchemaComparison } from './schema-changes';

type Contract = Pick<Analysis, 'document' | 'operations' | 'catalogue'>;
interface BreakingChange extends Pick<Mistake, 'node' | 'key' | 'message'> {
  /** What breaks, which is often the same in several operations. */
  readonly cause: string;
}

/**
 * Finds the changes that are certain to wrong a client of the older contract: a request that was right is refused, or a
 * reply is what the older contract did not say. The node of each is in the newer document.
 */
export function findBreakingChanges(before: Contract, after: Contract): BreakingChange[] {
  const operations = new Map(after.operations.map((operation) => [toOperationKey(operation), operation]));
  const compareRequests = createSchemaComparison(before.document, after.document, false);
  const compareReplies = createSchemaComparison(before.document, after.document, true);
  return [
    ...before.operations.flatMap((old): BreakingChange[] => {
      const now = operations.get(toOperationKey(old));
      const name = `${old.method} ${old.path}`;
      if (!now) return [{ node: after.document, key: 'paths', message: `${name} is gone`, cause: `${name} is gone` }];
      const causes = [
        ...compareSecurity(toAlternatives(before.document, old), toAlternatives(after.document, now)),
        ...compareRequests(toRequest(old, now), toRequest(now, now)),
        ...compareReplies(toReplies(old, old, now), toReplies(now, old, now)),
      ];
      return causes.map((cause) => ({ node: now.object, key: undefined, message: `${name}: ${cause}`, cause }));
    }),
    ...compareCatalogues(before, after),
  ];
}

// Clients do not see the names of path parameters.
function toOperationKey({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
}

type Member = readonly [name: string, schema: Schema, isRequired: boolean];

function toObject(members: readonly Member[]): Schema {
  const required = members.filter(([, , isRequired]) => isRequired).map(([name]) => name);
  return { type: 'object', required, properties: Object.fromEntries(members.map(([name, schema]) => [name, schema])) };
}

/** A request as one object. `now` names its media types. */
function toRequest({ path, parameters, body }: Operation, now: Operation): Schema {
  const inPath = [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1]);
  const members = parameters.map(({ location, name, style, explode, schema, isRequired }): Member => {
    // Header names are case-insensitive; path parameters are identified by their position in the path.
    const place = location === 'path' ? `{${String(inPath.indexOf(name) + 1)}}` : name;
    const serialized: object = { allOf: [schema], style: explode ? `${style}, exploded` : style };
    return [`${location} ${location === 'header' ? place.toLowerCase() : place}`, serialized, isRequired];
  });
  const whole: Member[] = body ? [['the body', {}, body.isRequired]] : [];
  const media = body && now.body ? toMedia('body', body.media, now.body.media) : [];
  return { ...toObject([...members, ...whole, ...media]), additionalProperties: false };
}

/**
 * All replies of an operation as one object. A status that is declared by a range or as the default may get a reply of its
 * own, and the other way round. A client cannot miss a failure of the server.
 */
function toReplies({ replies }: Operation, old: Operation, now: Operation): Schema {
  const statuses = [...new Set([...old.replies.keys(), ...now.replies.keys()])];
  const counting = statuses.filter((status) => /^[234]/.test(String(status)) || findReply(now.replies, status));
  return toObject(
    counting.flatMap((status): Member[] => {
      const reply = findReply(replies, status);
      if (!reply) return [];
      const name = `reply ${String(status)}`;
      const headers = reply.headers.map((header): Member => {
        return [`${name} header ${header.name.toLowerCase()}`, header.schema, header.isRequired];
      });
      const media = toMedia(name, reply.media, findReply(now.replies, status)?.media ?? reply.media);
      return [[name, {}, false], ...headers, ...media];
    }),
  );
}

type Replies = Operation['replies'];
type Media = NonNullable<Operation['body']>['media'];

function findReply(replies: Replies, status: Parameters<Replies['get']>[0]): ReturnType<Replies['get']> {
  const range = `${String(status).charAt(0)}XX` as Parameters<Replies['get']>[0];
  return replies.get(status) ?? replies.get(range) ?? replies.get('default');
}

// Bodies of JSON have the name itself; all are named as the newer contract spells their types.
function toMedia(name: string, media: Media, now: Media): Member[] {
  return [...media].map(([type, { schema }]) => {
    const spelled = [type, ...now.keys()].find((one) => now.has(one) && (isInRange(one, type) || isInRange(type, one)));
    const member = (spelled ?? type) === 'application/json' ? name : `${name} of ${spelled ?? type}`;
    // The schema of a message has that of the body as a property.
    return [member, schema.properties?.['body'] ?? {}, false];
  });
}

function isInRange(range: string, type: string): boolean {
  return range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
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
    return [{ node: catalogue, key: now?.name, message, cause: message }];
  });
}
