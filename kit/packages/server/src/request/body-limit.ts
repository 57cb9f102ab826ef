import type { BodyMedia, DeclaredBody, Operation } from '@contract-kit/contract';

/** The size in bytes above which a Blob is stored in a file. */
export const MAX_MEMORY_BYTES = 1024 ** 2;
/** The limit for a body parsed in one go, while all other requests wait: 1 MB of JSON takes up to 0.3 s, and 30 MB of memory. */
export const MAX_PARSED_BYTES = 4 * 1024 ** 2;

// Whether handlers get a body as a Blob or Files. Any other body is parsed in one go, or item by item.
function isStored({ kind }: Pick<BodyMedia, 'kind'>): boolean {
  return kind === 'binary' || kind === 'multipart';
}

/** Returns a body's limit in bytes: the contract's or else the service's, but at most 4 MB if the body is parsed in one go. */
export function limitOf(
  media: Pick<BodyMedia, 'kind'>,
  { limit }: Pick<DeclaredBody, 'limit'>,
  serviceLimit: number,
): number {
  return Math.min(limit ?? serviceLimit, isStored(media) ? Infinity : MAX_PARSED_BYTES);
}

/** Returns the largest limit of all bodies, and of the bodies stored as Blobs or Files; 0 if there are none. */
export function largestBodies(
  operations: readonly Operation[],
  serviceLimit: number,
): { readonly all: number; readonly stored: number } {
  const declaredBodies = operations.flatMap(({ body }) => body ?? []);
  const bodies = declaredBodies.flatMap((body) =>
    [...body.media.values()].map((media) => ({
      limit: limitOf(media, body, serviceLimit),
      isStored: isStored(media),
    })),
  );
  const findLargestLimit = (candidates: typeof bodies): number => Math.max(0, ...candidates.map(({ limit }) => limit));
  return { all: findLargestLimit(bodies), stored: findLargestLimit(bodies.filter((body) => body.isStored)) };
}
