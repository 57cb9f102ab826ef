import type { Exchange, ReplyMutant } from './exchange';

/** The body as a whole: cut, mixed with something, encoded in another way, or another's. */
export function bodyMutants({ reply, case: one, body }: Exchange, others: readonly Exchange[]): ReplyMutant[] {
  if (one.request.method === 'HEAD' || body === undefined) return [];
  const text = reply.body.toString('utf8');
  const made = (kind: string, name: string, sent: string | Buffer): ReplyMutant => ({
    kind,
    name,
    reply: { ...reply, body: Buffer.from(sent) },
  });
  return [
    ...cuts(reply.body.length).map((length) =>
      made('body cut', `at byte ${String(length)}`, reply.body.subarray(0, length)),
    ),
    ...WHOLES.map(([name, change]) => made('body as a whole', name, change(text))),
    ...encodings(reply.body).map(([name, sent]) => made('body in other bytes', name, sent)),
    // Of the same status they differ in prose and number only, which is tried with each property.
    ...others
      .filter(
        (other) => other.reply.status !== reply.status || (reply.status < 300 && !other.reply.body.equals(reply.body)),
      )
      .map((other) => made("another's body", other.case.label, other.reply.body)),
  ];
}

function cuts(length: number): number[] {
  const places = [1, 2, length / 4, length / 3, length / 2, (2 * length) / 3, (3 * length) / 4, length - 2, length - 1];
  return [...new Set([0, ...places].map(Math.floor))].filter((place) => place >= 0 && place < length);
}

const WHOLES: readonly (readonly [name: string, change: (text: string) => string])[] = [
  ['null', () => 'null'],
  ['true', () => 'true'],
  ['a number', () => '1'],
  ['a string', () => '"text"'],
  ['an empty object', () => '{}'],
  ['an empty array', () => '[]'],
  ['only white space', () => ' \n'],
  ['an array of it', (text) => `[${text}]`],
  ['inside of data', (text) => `{"data":${text}}`],
  ['as a string', (text) => JSON.stringify(text)],
  ['twice', (text) => text + text],
  ['twice, in lines', (text) => `${text}\n${text}\n`],
  ['garbage after it', (text) => `${text}x`],
  ['a bracket after it', (text) => `${text}}`],
  ['a comma after it', (text) => `${text},`],
  ['a NUL after it', (text) => `${text}\0`],
  ['garbage before it', (text) => `x${text}`],
  ['the guard of Angular before it', (text) => `)]}',\n${text}`],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['a comma at the end', (text) => `${text.slice(0, -1)},}`],
  ['a comment', (text) => `${text}// x`],
  ['single quotes', (text) => text.replaceAll('"', "'")],
  ['names without quotes', (text) => text.replace(/"(\w+)":/g, '$1:')],
  ['nothing between name and value', (text) => text.replaceAll('":', '" ')],
  ['a no-break space', (text) => text.replace(':', ':\u00a0')],
  ['a line break in a string', (text) => text.replace(/:"/, ':"\n')],
  ['an escape that is none', (text) => text.replace(/:"/, ':"\\x41')],
  ['an escape cut short', (text) => text.replace(/"}$/, '\\u12"}')],
  ['HTML', () => '<!DOCTYPE html><title>Error</title>'],
  ['plain text', () => 'Internal Server Error'],
  ['a form', () => 'a=1&b=2'],
  ['YAML', (text) => text.replace(/[{}"]/g, '').replaceAll(',', '\n')],
  ['JSONP', (text) => `callback(${text})`],
  ['NaN', (text) => text.replace(/:[^,}]*/, ':NaN')],
  ['undefined', (text) => text.replace(/:[^,}]*/, ':undefined')],
];

function encodings(body: Buffer): [name: string, sent: Buffer][] {
  const middle = Math.ceil(body.length / 2);
  const inserted = (...bytes: number[]): Buffer =>
    Buffer.concat([body.subarray(0, middle), Buffer.from(bytes), body.subarray(middle)]);
  return [
    ['UTF-16', Buffer.from(body.toString('utf8'), 'utf16le')],
    ['a byte that never occurs', inserted(0xff)],
    ['a continuation alone', inserted(0x80)],
    ['a sign cut short', inserted(0xc3)],
    ['an overlong slash', inserted(0xc0, 0xaf)],
    ['a surrogate', inserted(0xed, 0xa0, 0x80)],
    ['a NUL inside', inserted(0)],
    ['every byte twice', Buffer.from([...body].flatMap((byte) => [byte, byte]))],
    ['the high bit set', Buffer.from(body.map((byte) => byte | 0x80))],
  ];
}
