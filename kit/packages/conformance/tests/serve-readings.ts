import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';

/** A contract with all that OpenAPI 3.2 adds to requests and replies. */
export const READINGS = `
openapi: 3.2.0
$self: https://garden.example/api/openapi.yaml
info: { title: Readings, version: 1.0.0 }
paths:
  /readings:
    get:
      operationId: watch
      responses:
        '200':
          description: Readings as they come.
          content:
            application/jsonl: { $ref: '#/components/mediaTypes/Lines' }
            application/json-seq: { itemSchema: { $ref: '#/components/schemas/Reading' } }
            text/event-stream: { itemSchema: { $ref: 'openapi.yaml#/components/schemas/Event' } }
    post:
      operationId: add
      requestBody:
        required: true
        content:
          application/jsonl: { $ref: '#/components/mediaTypes/Lines' }
          application/json-seq: { itemSchema: { $ref: '#/components/schemas/Reading' } }
          text/event-stream: { itemSchema: { $ref: 'https://garden.example/api/openapi.yaml#/components/schemas/Event' } }
      responses: { '204': { description: Kept. }, '400': { description: Wrong. }, '413': { description: Too large. }, '415': { description: Unknown. } }
    query:
      operationId: find
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Reading' } } } }
      responses: { '204': { description: Found. }, '400': { description: Wrong. }, '413': { description: Too large. }, '415': { description: Unknown. } }
    additionalOperations:
      PURGE: { operationId: purge, responses: { '204': { description: Gone. }, '400': { description: Wrong. } } }
  /form:
    get:
      operationId: searchByForm
      parameters:
        - { name: search, in: querystring, required: true, content: { application/x-www-form-urlencoded: { schema: { $ref: '#/components/schemas/Reading' } } } }
      responses: { '204': { description: Found. }, '400': { description: Wrong. } }
  /json:
    get:
      operationId: searchByJson
      parameters:
        - { name: search, in: querystring, content: { application/json: { schema: { $ref: '#/components/schemas/Reading' } } } }
      responses: { '204': { description: Found. }, '400': { description: Wrong. } }
  /cookies:
    get:
      operationId: showCookies
      parameters:
        - { name: shown, in: cookie, style: cookie, schema: { type: array, items: { type: string, pattern: '^[a-z0-9]{1,9}$' } } }
        - { name: note, in: cookie, style: cookie, schema: { type: string, maxLength: 30 } }
      responses: { '204': { description: Shown. }, '400': { description: Wrong. } }
components:
  mediaTypes: { Lines: { itemSchema: { $ref: '#/components/schemas/Reading' } } }
  schemas:
    Reading: { type: object, required: [n], properties: { n: { type: integer, minimum: 0, maximum: 9 } } }
    Event:
      type: object
      required: [data]
      properties: { event: { const: reading }, data: { type: string, contentMediaType: application/json, contentSchema: { $ref: '#/components/schemas/Reading' } } }
`;

/** A way in which a server breaks the contract, or a standard behind it. */
export type Fault =
  | keyof typeof WRITTEN
  | 'a cut stream'
  | 'a crash when a client leaves'
  | 'only the first item is checked'
  | 'only the last item is checked'
  | 'the first thousand bytes are checked'
  | 'a cut item is ignored'
  | 'data of events is text'
  | 'CR LF is not known'
  | 'CR is not known'
  | 'one line of data is read'
  | 'bytes that are not UTF-8 are replaced'
  | 'QUERY without a type'
  | 'no PURGE'
  | 'a query that is not decoded'
  | 'a query that is not checked'
  | 'cookies that are decoded';

const ITEM = '{"n":1}';
const FRAMES: Readonly<Record<string, (item: string) => string>> = {
  'application/jsonl': (item) => `${item}\n`,
  'application/json-seq': (item) => `\x1e${item}\n`,
  'text/event-stream': (item) => `: comment\nevent: reading\ndata: ${item}\n\n`,
};
/** What is wrong with each item as it is written, or with the head, of a stream that ends after five items. */
interface WrittenWrongly {
  readonly write?: (frame: string) => string;
  /** Whether only the third item is wrong, or the last one. */
  readonly only?: 3 | 5;
  readonly isEndless?: true;
  readonly headers?: Readonly<Record<string, string>>;
}
const WRITTEN = {
  'a wrong item': { write: (frame) => frame.replace('1', '10'), only: 3, isEndless: true },
  'a wrong first item': { write: (frame) => frame.replace('1', '-1') },
  'an error as the last item': { write: (frame) => frame.replace(ITEM, '{"error":"database"}'), only: 5 },
  'JSON over two lines': { write: (frame) => frame.replace('1', '\n1'), only: 3 },
  'text instead of JSON': { write: (frame) => frame.replace(ITEM, 'one'), only: 3 },
  'another event': { write: (frame) => frame.replace('event: reading', 'event: ping'), only: 3 },
  'no line feeds': { write: (frame) => frame.replace(/\n$/, ''), isEndless: true },
  'commas between items': { write: (frame) => frame.replace(/\n$/, ',\n') },
  'no record separators': { write: (frame) => frame.replace('\x1e', ''), isEndless: true },
  'a byte order mark': { write: (frame) => `\xef\xbb\xbf${frame}` },
  'a blank line': { write: (frame) => `\n${frame}`, only: 3 },
  'a cut last item': { write: (frame) => frame.slice(0, -4), only: 5 },
  'no line feed behind the last item': { write: (frame) => frame.replace(/\n$/, ''), only: 5 },
  'bytes of gzip': { write: () => '\x1f\x8b\x08\x00', isEndless: true },
  'another Content-Type': { headers: { 'Content-Type': 'text/plain' } },
  'no Content-Type': { headers: { 'Content-Type': '' } },
  'a length beside chunks': { headers: { 'Content-Length': '9', 'Transfer-Encoding': 'chunked' } },
} satisfies Readonly<Record<string, WrittenWrongly>>;

/** Serves the contract by node:http alone, rightly but for one fault. */
export function serveReadings(fault?: Fault): Promise<ListeningServer> {
  let open = 0;
  let isDown = false;
  return listenOnLoopback(
    createServer((req, res) => {
      if (isDown) return void res.destroy();
      buffer(req).then(
        (body) => {
          if (isRoute(req, '/readings') && req.method === 'GET') stream(req, res);
          else res.writeHead(...answer(req, body, fault)).end();
        },
        () => res.destroy(),
      );
    }),
  );

  function stream(req: IncomingMessage, res: ServerResponse): void {
    if (open >= 60) return void res.writeHead(503).end();
    open++;
    const { accept = '' } = req.headers;
    const type = accept in FRAMES ? accept : 'application/jsonl';
    const frame = FRAMES[type] ?? String;
    const {
      write = String,
      only,
      isEndless,
      headers,
    }: WrittenWrongly = fault && fault in WRITTEN ? WRITTEN[fault as keyof typeof WRITTEN] : { isEndless: true };
    const all = Object.entries({ 'Content-Type': type, ...headers }).filter(([, value]) => value !== '');
    res.writeHead(200, Object.fromEntries(all));
    let sent = 0;
    const timer = setInterval(() => {
      sent++;
      if (fault === 'a cut stream' && sent === 3) return void res.destroy();
      res.write(only === undefined || only === sent ? write(frame(ITEM)) : frame(ITEM), 'latin1');
      if (isEndless || sent < 5) return;
      clearInterval(timer);
      res.end();
    }, 5);
    res.on('close', () => {
      clearInterval(timer);
      open--;
      if (fault === 'a crash when a client leaves') isDown = true;
    });
  }
}

function isRoute({ url = '' }: IncomingMessage, path: string): boolean {
  return pathOf(url) === path;
}

// The target may be in absolute form (RFC 9112 section 3.2.2).
function pathOf(target: string): string {
  return target.replace(/^https?:\/\/[^/]*/, '').replace(/\?.*$/s, '');
}

type Answer = [status: number, headers: Record<string, string>];

function answer(req: IncomingMessage, body: Buffer, fault: Fault | undefined): Answer {
  const { url = '', method = '', headers } = req;
  const path = pathOf(url);
  const methods = ALLOWED[path]?.filter((name) => name !== 'PURGE' || fault !== 'no PURGE');
  if (!methods) return [404, {}];
  if (!methods.includes(method)) return [405, { Allow: methods.join(', ') }];
  const query = url.includes('?') ? url.slice(url.indexOf('?') + 1) : undefined;
  try {
    if ((headers['content-encoding'] ?? 'identity') !== 'identity') return [415, {}];
    if (path === '/readings') return readBody(method, headers['content-type'], body, fault);
    if (path === '/cookies') return [areShown(headers.cookie ?? '', fault) ? 204 : 400, {}];
    if (fault === 'a query that is not checked') return [204, {}];
    return [isQuery(path, query, fault) ? 204 : 400, {}];
  } catch {
    return [400, {}];
  }
}

const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  '/readings': ['GET', 'POST', 'QUERY', 'PURGE'],
  '/form': ['GET'],
  '/json': ['GET'],
  '/cookies': ['GET'],
};

function readBody(method: string, type: string | undefined, body: Buffer, fault: Fault | undefined): Answer {
  if (method === 'PURGE') return [204, {}];
  const essence = type?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (body.length === 0) return [400, {}];
  if (body.length > 900_000) return [413, {}];
  if (method === 'QUERY') {
    const isKnown = essence === 'application/json' || (fault === 'QUERY without a type' && type === undefined);
    return isKnown && isMediaType(type) ? [isReading(JSON.parse(decode(body))) ? 204 : 400, {}] : [415, {}];
  }
  if (!(essence in FRAMES) || !isMediaType(type)) return [415, {}];
  const items = readItems(
    essence,
    fault === 'the first thousand bytes are checked' ? body.subarray(0, 1_000) : body,
    fault,
  );
  const checked =
    fault === 'only the first item is checked'
      ? items.slice(0, 1)
      : fault === 'only the last item is checked'
        ? items.slice(-1)
        : items;
  return [checked.every(isReading) ? 204 : 400, {}];
}

function isMediaType(type = 'x/x'): boolean {
  const charset = /charset="?([^";]*)/i.exec(type)?.[1] ?? 'utf-8';
  return /^[\w.+-]+\/[\w.+-]+ *(?:; *\w+=(?:"[^"]*"|[\w.-]+) *)*$/.test(type) && /^utf-8$/i.test(charset);
}

function decode(body: Buffer, fatal = true): string {
  return new TextDecoder('utf-8', { fatal }).decode(body);
}

function isReading(value: unknown): boolean {
  const n = typeof value === 'object' && value !== null && Object.hasOwn(value, 'n') ? (value as { n: unknown }).n : -1;
  return Number.isInteger(n) && Number(n) >= 0 && Number(n) <= 9;
}

function readItems(type: string, body: Buffer, fault: Fault | undefined): unknown[] {
  const text = decode(body, fault !== 'bytes that are not UTF-8 are replaced');
  if (type === 'text/event-stream') return readEvents(text, fault);
  const pieces = type === 'application/jsonl' ? text.replace(/\n$/, '').split('\n') : text.split('\x1e');
  if (type === 'application/json-seq' && pieces.shift() !== '') throw new Error('no record separator');
  const items = pieces.filter((piece) => type === 'application/jsonl' || piece !== '');
  const isLenient = fault === 'a cut item is ignored' || fault === 'the first thousand bytes are checked';
  return items.flatMap((item, index): unknown[] => {
    try {
      return [JSON.parse(item)];
    } catch (error) {
      if (isLenient && index === items.length - 1) return [];
      throw error;
    }
  });
}

function readEvents(text: string, fault: Fault | undefined): unknown[] {
  const end = fault === 'CR is not known' ? /\r\n/g : /\r\n?/g;
  const lines = fault === 'CR LF is not known' ? text : text.replace(end, '\n');
  return lines.split('\n\n').flatMap((block) => {
    const fields = block.split('\n').map((line) => /^([^:]*)(?:: ?(.*))?$/s.exec(line)?.slice(1) ?? []);
    const valuesOf = (name: string): string[] =>
      fields.flatMap(([field, value = '']) => (field === name ? [value] : []));
    const data = valuesOf('data').slice(0, fault === 'one line of data is read' ? 1 : undefined);
    if (data.length === 0) return [];
    const event = valuesOf('event').at(-1) ?? 'reading';
    const item = fault === 'data of events is text' ? { n: 1 } : (JSON.parse(data.join('\n')) as unknown);
    return [event === 'reading' ? item : undefined];
  });
}

function isQuery(path: string, query: string | undefined, fault: Fault | undefined): boolean {
  if (query === undefined || query === '') return path === '/json';
  const decodeText = (text: string): string =>
    fault === 'a query that is not decoded' ? text : decodeURIComponent(text);
  if (path === '/json') return isReading(JSON.parse(decodeText(query)));
  const pairs = query.split('&').map((pair) => pair.replaceAll('+', ' ').split('=').map(decodeText));
  const values = pairs.flatMap(([name, value = '']) => (name === 'n' ? [value] : []));
  return (
    values.length === 1 &&
    /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(values[0] ?? '') &&
    isReading({ n: Number(values[0]) })
  );
}

function areShown(header: string, fault: Fault | undefined): boolean {
  const pairs = header.split('; ').map((pair) => /^([^=]*)=(.*)$/s.exec(pair)?.slice(1) ?? []);
  const decodeText = fault === 'cookies that are decoded' ? decodeURIComponent : String;
  return pairs.every(([name, value = '']) =>
    name === 'shown' ? /^[a-z0-9]{1,9}$/.test(decodeText(value)) : name !== 'note' || decodeText(value).length <= 30,
  );
}
