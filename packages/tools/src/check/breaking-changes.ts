// Finds the changes in a new version of a contract that break clients of an older one.
import { bodySchemaOf } from '@contract-kit/contract';
import type { NormalizedDocument, DocumentError, Operation, NormalizedSchema as Schema } from '@contract-kit/contract';
import type { Analysis } from '../lint/analyse-contract';
import { createSchemaComparison } from './schema-changes';

type Contract = Pick<Analysis, 'document' | 'operations' | 'catalogue'>;
interface BreakingChange extends Pick<DocumentError, 'node' | 'key' | 'message'> {
  /** The change without the operation, since several operations often share it. */
  readonly cause: string;
}

/**
 * Finds the changes that are certain to break a client of the older contract: a request that was valid is rejected, or a
 * response does not match the older contract. The node of each change is in the newer document.
 */
export function findBreakingChanges(before: Contract, after: Contract): BreakingChange[] {
  const operations = new Map(after.operations.map((operation) => [toOperationKey(operation), operation]));
  const compareRequests = createSchemaComparison(before.document, after.document, false);
  const compareResponses = createSchemaComparison(before.document, after.document, true);
  return [
    ...before.operations.flatMap((old): BreakingChange[] => {
      const now = operations.get(toOperationKey(old));
      const name = `${old.method} ${old.path}`;
      if (!now)
        return [{ node: after.document, key: 'paths', message: `${name} was removed`, cause: `${name} was removed` }];
      const causes = [
        ...compareSecurity(toAlternatives(before.document, old), toAlternatives(after.document, now)),
        ...compareRequests(toRequest(old, now), toRequest(now, now)),
        ...compareResponses(toResponses(old, old, now), toResponses(now, old, now)),
      ];
      return causes.map((cause) => ({ node: now.object, key: undefined, message: `${name}: ${cause}`, cause }));
    }),
    ...compareCatalogues(before, after),
  ];
}

// The names of path parameters do not matter to clients.
function toOperationKey({ method, path }: Operation): string {
  return `${method} ${path.replace(/\{[^}]*\}/g, '{}')}`;
}

type Member = readonly [name: string, schema: Schema, isRequired: boolean];

function toObject(members: readonly Member[]): Schema {
  const required = members.filter(([, , isRequired]) => isRequired).map(([name]) => name);
  return { type: 'object', required, properties: Object.fromEntries(members.map(([name, schema]) => [name, schema])) };
}

/** Describes a request as one object. Its media types are spelled as in the operation `now`. */
function toRequest({ path, parameters, querystring, body }: Operation, now: Operation): Schema {
  const pathParameters = [...path.matchAll(/\{([^}]*)\}/g)].map((match) => match[1]);
  const members = parameters.map(({ location, name, style, explode, schema, isRequired }): Member => {
    // Header names are case-insensitive; path parameters are identified by their position in the path.
    const place = location === 'path' ? `{${String(pathParameters.indexOf(name) + 1)}}` : name;
    const serialized: object = { allOf: [schema], style: explode ? `${style}, exploded` : style };
    return [`${location} ${location === 'header' ? place.toLowerCase() : place}`, serialized, isRequired];
  });
  const wholeQuery = querystring ? [toQuery(querystring)] : [];
  const wholeBody: Member[] = body ? [['the body', {}, body.isRequired]] : [];
  const media = body && now.body ? toMedia('body', body.media, now.body.media) : [];
  return { ...toObject([...members, ...wholeQuery, ...wholeBody, ...media]), additionalProperties: false };
}

function toQuery({ media, isRequired }: NonNullable<Operation['querystring']>): Member {
  const serialized: object = { allOf: [media.schema], style: media.type };
  return ['the query', serialized, isRequired];
}

/**
 * Describes all responses of an operation as one object. A status that was covered by a range or by the default may get a
 * response of its own, and the other way round. Removing a 5xx response breaks no client.
 */
function toResponses({ replies }: Operation, old: Operation, now: Operation): Schema {
  const statuses = [...new Set([...old.replies.keys(), ...now.replies.keys()])];
  const compared = statuses.filter((status) => /^[234]/.test(String(status)) || findResponse(now.replies, status));
  return toObject(
    compared.flatMap((status): Member[] => {
      const response = findResponse(replies, status);
      if (!response) return [];
      const name = `response ${String(status)}`;
      const headers = response.headers.map((header): Member => {
        return [`${name} header ${header.name.toLowerCase()}`, header.schema, header.isRequired];
      });
      const media = toMedia(name, response.media, findResponse(now.replies, status)?.media ?? response.media);
      return [[name, {}, false], ...headers, ...media];
    }),
  );
}

type Replies = Operation['replies'];
type Media = NonNullable<Operation['body']>['media'];

function findResponse(replies: Replies, status: Parameters<Replies['get']>[0]): ReturnType<Replies['get']> {
  const range = `${String(status).charAt(0)}XX` as Parameters<Replies['get']>[0];
  return replies.get(status) ?? replies.get(range) ?? replies.get('default');
}

// A JSON body has the plain name; other bodies add their media type, spelled as in the newer contract.
function toMedia(name: string, media: Media, now: Media): Member[] {
  return [...media].map(([type, one]) => {
    const spelled = [type, ...now.keys()].find(
      (range) => now.has(range) && (isInRange(range, type) || isInRange(type, range)),
    );
    const member = (spelled ?? type) === 'application/json' ? name : `${name} (${spelled ?? type})`;
    return [member, bodySchemaOf(one) ?? {}, false];
  });
}

function isInRange(range: string, type: string): boolean {
  return range === type || range === '*/*' || (range.endsWith('/*') && type.startsWith(range.slice(0, -1)));
}

/** The credentials that one security requirement needs together. */
type Alternative = readonly { readonly name: string; readonly scheme: string; readonly scopes: readonly string[] }[];

// Schemes are compared by their definition, so renaming one breaks nothing. Without security, no credentials are needed.
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
        const credential = given.find((candidate) => candidate.scheme === scheme);
        return credential !== undefined && scopes.every((scope) => credential.scopes.includes(scope));
      }),
    );
  return before
    .filter((given) => !isEnough(given))
    .map((given) => {
      const names = given.map(({ name }) => name).join(' with ');
      return names === '' ? 'credentials are now required' : `credentials for ${names} are no longer enough`;
    });
}

// Clients identify an error by its number, which keeps its name and status. The meaning is for people and may change.
function compareCatalogues(before: Contract, { catalogue }: Contract): BreakingChange[] {
  const byNumber = new Map(Object.entries(catalogue).map(([name, row]) => [row.number, { name, status: row.status }]));
  return Object.entries(before.catalogue).flatMap(([name, { number, status }]) => {
    const now = byNumber.get(number);
    if (now?.name === name && now.status === status) return [];
    const change = now ? `is now ${now.name} with status ${String(now.status)}` : 'was removed';
    const message = `error ${String(number)} (${name} with status ${String(status)}) ${change}`;
    return [{ node: catalogue, key: now?.name, message, cause: message }];
  });
}
