// How large a body may be.
import type { BodyMedia, DeclaredBody, Operation } from '@contract-kit/contract';

/** The most bytes that are kept in memory of a body that a handler gets as a Blob. */
export const MAX_MEMORY_BYTES = 1024 ** 2;
/** The most bytes that are parsed at once: 1 MB of JSON takes up to 0.3 s and 30 MB, in which all other requests wait. */
export const MAX_PARSED_BYTES = 4 * 1024 ** 2;

/** Whether a handler gets the bytes of a body as Blob or File; all others are parsed at once, or item by item. */
function isStored({ kind }: Pick<BodyMedia, 'kind'>): boolean {
  return kind === 'binary' || kind === 'multipart';
}

/**
 * The largest body of a media type, in bytes; 4 MB at most for what is parsed at once.
 *
 * @param serviceLimit counts where the contract declares none
 */
export function limitOf(
  media: Pick<BodyMedia, 'kind'>,
  { limit }: Pick<DeclaredBody, 'limit'>,
  serviceLimit: number,
): number {
  return Math.min(limit ?? serviceLimit, isStored(media) ? Infinity : MAX_PARSED_BYTES);
}

/** The largest bodies of any operation: `all` of them, and those `stored` as Blob or File; 0 if there are none. */
export function largestBodies(
  operations: readonly Operation[],
  serviceLimit: number,
): { readonly all: number; readonly stored: number } {
  const declared = operations.flatMap(({ body }) => body ?? []);
  const bodies = declared.flatMap((body) =>
    [...body.media.values()].map((media) => ({
      limit: limitOf(media, body, serviceLimit),
      isStored: isStored(media),
    })),
  );
  const largest = (some: typeof bodies): number => Math.max(0, ...some.map(({ limit }) => limit));
  return { all: largest(bodies), stored: largest(bodies.filter((body) => body.isStored)) };
}
