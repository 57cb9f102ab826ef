/** A request, to the byte; only the address of the server and the secrets are still missing. */
export interface WireRequest {
  readonly method: string;
  /** Path and query, after the base URL's path. */
  readonly target: string;
  /** Beside Host, Content-Length and Connection. A secret stands as `${name}`, changed as `${name%?}` and so on. */
  readonly headers: readonly Header[];
  readonly body?: Buffer | undefined;
  /** How the end of the body is told; by its length, unless it says otherwise. */
  readonly framing?: 'length' | 'chunked' | 'none';
  /** Changes the head as it would be sent, to one that no client would send. */
  readonly bend?: (head: string) => string;
  /** The client has no more to say, and shows it by closing its side. */
  readonly isCut?: boolean;
}

export type Header = readonly [name: string, value: string];

/** The value of each security scheme: a token, `user:password`, or a key. */
export type Secrets = Readonly<Record<string, string>>;

/** How a secret can be changed, spelled as a shell does, since that is how it is shown. */
const CHANGES: Readonly<Record<string, (secret: string) => string>> = {
  '': (secret) => secret,
  '%?': (secret) => secret.slice(0, -1),
  '#?': (secret) => secret.slice(1),
  '~~': (secret) => {
    const swapped = secret.replace(/[a-z]/gi, (sign) =>
      sign === sign.toUpperCase() ? sign.toLowerCase() : sign.toUpperCase(),
    );
    // One without letters has no other case.
    return swapped === secret ? `${secret}A` : swapped;
  },
  '@base64': (secret) => Buffer.from(secret).toString('base64'),
  '@uri': (secret) => encodeURIComponent(secret),
};
export const SECRET = /\$\{(\w+)(%\?|#\?|~~|@base64|@uri|)\}/g;

/** @param base the server's address, whose path comes before every target */
export function toBytes(request: WireRequest, base: URL, secrets: Secrets): Buffer {
  const { body, framing = body ? 'length' : 'none', bend = (text) => text } = request;
  const length: Header[] = framing === 'length' ? [['Content-Length', String(body?.length ?? 0)]] : [];
  const chunked: Header[] = framing === 'chunked' ? [['Transfer-Encoding', 'chunked']] : [];
  const headers: readonly Header[] = [
    ['Host', base.host],
    ...request.headers,
    ...length,
    ...chunked,
    ['Connection', 'close'],
  ];
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const head = `${request.method} ${base.pathname.replace(/\/$/, '')}${request.target} HTTP/1.1\r\n${lines}\r\n`;
  return Buffer.concat([
    Buffer.from(reveal(bend(head), secrets), 'latin1'),
    framing === 'chunked' ? toChunks(body) : (body ?? Buffer.alloc(0)),
  ]);
}

function reveal(text: string, secrets: Secrets): string {
  return text.replace(SECRET, (_all, name: string, change: string) => {
    const secret = secrets[name];
    if (secret === undefined) throw new Error(`no credentials are given for the security scheme ${name}`);
    return CHANGES[change]?.(secret) ?? secret;
  });
}

function toChunks(body: Buffer = Buffer.alloc(0)): Buffer {
  const middle = Math.ceil(body.length / 2);
  const chunks = [body.subarray(0, middle), body.subarray(middle)].filter(({ length }) => length > 0);
  return Buffer.concat([
    ...chunks.flatMap((chunk) => [Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]),
    Buffer.from('0\r\n\r\n'),
  ]);
}
