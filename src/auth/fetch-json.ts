const MAX_BYTES = 256 * 1024;

/**
 * What a URL answers with status 200, up to 256 KB. No redirect is followed.
 *
 * @throws Error whose message begins with the URL; nothing of the answer is in it
 */
export async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
    if (response.status !== 200) {
      await response.body?.cancel();
      throw new Error(`answers ${String(response.status)}`);
    }
    return toJson(await readBounded(response));
  } catch (error) {
    throw new Error(`${url} ${reasonOf(error as Error)}`);
  }
}

// Status 200 has a body, be it empty.
async function readBounded({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // This cancels the rest.
    if (bytes > MAX_BYTES) throw new Error('answers with more than 256 KB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function toJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Error('does not answer with JSON');
  }
}

// What fetch throws says little itself; its cause is of the system.
function reasonOf({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return 'does not answer in time';
  if (cause === undefined) return message;
  const { code, message: detail } = cause as NodeJS.ErrnoException;
  return `cannot be reached: ${code ?? detail}`;
}
