// Fetches the files of other hosts that a contract refers to, into a folder beside it.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative, resolve } from 'node:path';
import { ContractError, parsePart } from '@contract-kit/server/contract';
import { findFileReferences, readContractFiles, REMOTE_REFERENCE, toFetchedPath, toRemoteUrl } from './contract-files';

/** What a fetch may take. */
export interface FetchLimits {
  readonly files: number;
  /** Of all files together. */
  readonly bytes: number;
  /** For all files together. */
  readonly milliseconds: number;
}

const LIMITS: FetchLimits = { files: 200, bytes: 16 * 1024 ** 2, milliseconds: 60_000 };
const MAX_REDIRECTS = 5;

/**
 * Fetches all files of http and https that a contract refers to, and those that these refer to. Writes them only once
 * it has all of them.
 *
 * @param folder that the files of the contract are in: by default that of the contract
 * @returns lines for people: each file that was written, and where it comes from
 * @throws ContractError when a file cannot be had, is no YAML, or a limit is exceeded
 */
export async function fetchRemote(file: string, folder?: string, limits = LIMITS): Promise<string[]> {
  const base = dirname(resolve(file));
  const { files } = readContractFiles(readFileSync(file, 'utf8'), file, folder);
  const own = [...files].filter(([, { url }]) => url === undefined);
  const queue = new Map<string, URL>();
  for (const [, { parsed }] of own) add(parsed);
  const signal = AbortSignal.timeout(limits.milliseconds);
  const texts = new Map<string, string>();
  let bytesLeft = limits.bytes;
  // The loop goes on with the files that `add` finds.
  for (const [path, url] of queue) {
    if (texts.size === limits.files) throw new ContractError(`${url.href}: more than ${String(limits.files)} files`);
    const bytes = await fetchBytes(url, bytesLeft, signal).catch((error: unknown) => {
      throw new ContractError(`${url.href} ${describe(error as Error)}`);
    });
    bytesLeft -= bytes.length;
    const text = bytes.toString('utf8');
    add(parsePart(text, url.href), url);
    texts.set(path, text);
  }
  return [...texts].map(([path, text]) => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return `${relative('', path)}: ${String(Buffer.byteLength(text))} bytes of ${String(queue.get(path))}`;
  });

  function add(parsed: unknown, referring?: URL): void {
    for (const { reference } of findFileReferences(parsed)) {
      if (!referring && !REMOTE_REFERENCE.test(reference)) continue;
      const url = toRemoteUrl(reference, referring);
      if (url && !queue.has(toFetchedPath(base, url))) queue.set(toFetchedPath(base, url), url);
    }
  }
}

/** @throws Error when it is not there, redirects to another scheme, or is too large */
async function fetchBytes(url: URL, limit: number, signal: AbortSignal, redirects = 0): Promise<Buffer> {
  const response = await fetch(url, { redirect: 'manual', signal });
  const location = response.headers.get('Location');
  if (response.status >= 300 && response.status < 400 && location !== null) {
    await response.body?.cancel();
    const next = URL.parse(location, url);
    if (next?.protocol !== url.protocol) throw new Error(`redirects to ${location}, which is not ${url.protocol}`);
    if (redirects === MAX_REDIRECTS) throw new Error(`redirects more than ${String(MAX_REDIRECTS)} times`);
    return fetchBytes(next, limit, signal, redirects + 1);
  }
  if (response.status !== 200) throw new Error(`answers ${String(response.status)}`);
  const chunks: Uint8Array[] = [];
  let left = limit;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    left -= chunk.length;
    if (left < 0) throw new Error('is too large, or all files together are');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// fetch tells the reason, such as a refused connection, as the cause.
function describe({ message, cause }: Error): string {
  return cause instanceof Error ? `cannot be fetched: ${cause.message}` : message;
}
