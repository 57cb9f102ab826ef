// Fetches JSON documents of an issuer.

const MAX_BYTES = 256 * 1024;

/** Accepts status 200 and up to 256 KB, and follows no redirects. An error begins with the URL and quotes no response. */
export async function fetchJson(url: string, signal: AbortSignal): Promise<unknown> {
  try {
    const response = await fetch(url, { signal, redirect: 'manual', headers: { Accept: 'application/json' } });
    if (response.status !== 200) {
      // Frees the connection.
      await response.body?.cancel();
      throw new Error(`answers ${String(response.status)}`);
    }
    return parseJson(await readBounded(response));
  } catch (error) {
    throw new Error(`${url} ${describeFailure(error as Error)}`);
  }
}

// Reads the body of a response; throws if it is longer than MAX_BYTES. Status 200 always has a body, which may be empty.
async function readBounded({ body }: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    // Throwing here cancels the rest of the stream.
    if (bytes > MAX_BYTES) throw new Error('answers with more than 256 KB');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

// Replaces the error of JSON.parse, which would quote the response.
function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    throw new Error('does not answer with JSON');
  }
}

// The error of fetch itself says little: its cause is the system's error. The errors of this module have no cause.
function describeFailure({ name, message, cause }: Error): string {
  if (name === 'TimeoutError') return 'does not answer in time';
  if (cause === undefined) return message;
  const { code, message: detail } = cause as NodeJS.ErrnoException;
  return `cannot be reached: ${code ?? detail}`;
}
