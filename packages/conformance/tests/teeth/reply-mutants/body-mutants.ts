import type { Exchange, ReplyMutant } from './exchange';
import { Members, Raw, writeJson, type Json, type JsonObject, type Wire } from '../../../src/wire/json';

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
    // Those of errors differ in prose and number only, which is tried with each property.
    ...others
      .filter((other) => Math.min(other.reply.status, reply.status) < 300 && !other.reply.body.equals(reply.body))
      .map((other) => made("another's body", other.case.label, other.reply.body)),
  ];
}

function cuts(length: number): number[] {
  const places = [1, 2, length / 4, length / 3, length / 2, (2 * length) / 3, (3 * length) / 4, length - 2, length - 1];
  return [...new Set([0, ...places].map(Math.floor))].filter((place) => place >= 0 && place < length);
}

const WHOLES: readonly (readonly [name: string, change: (text: string) => string])[] = [
  ['null', () => 'null'],
  ['a number', () => '1'],
  ['an empty object', () => '{}'],
  ['only white space', () => ' \n'],
  ['an array of it', (text) => `[${text}]`],
  ['inside of data', (text) => `{"data":${text}}`],
  ['as a string', (text) => JSON.stringify(text)],
  ['twice', (text) => text + text],
  ['garbage after it', (text) => `${text}x`],
  ['a byte order mark', (text) => `\ufeff${text}`],
  ['HTML', () => '<!DOCTYPE html><title>Error</title>'],
  ['a comma at its end', (text) => text.replace(/}$/, ',}')],
  ['the guard of Angular before it', (text) => `)]}',\n${text}`],
];

function encodings(body: Buffer): [name: string, sent: Buffer][] {
  const middle = Math.ceil(body.length / 2);
  const inserted = (...bytes: number[]): Buffer =>
    Buffer.concat([body.subarray(0, middle), Buffer.from(bytes), body.subarray(middle)]);
  return [
    ['UTF-16', Buffer.from(body.toString('utf8'), 'utf16le')],
    ['a byte that never occurs', inserted(0xff)],
    ['an overlong slash', inserted(0xc0, 0xaf)],
    ['a surrogate', inserted(0xed, 0xa0, 0x80)],
  ];
}

/** What one property of a body can be instead; text that is prose keeps its type at least. */
export function propertyMutants(exchange: Exchange): ReplyMutant[] {
  const { reply, body, case: one, echoed } = exchange;
  if (one.request.method === 'HEAD' || body === undefined) return [];
  const made = (kind: string, name: string, value: Wire): ReplyMutant => ({
    kind,
    name,
    reply: { ...reply, body: Buffer.from(writeJson(value)) },
  });
  return Object.entries(body).flatMap(([name, value]) => [
    ...shapes(body, name, value).map(([kind, changed]) => made(kind, name, changed)),
    ...ofOtherTypes(value).map((other) =>
      made('another type', `${name}: ${writeJson(other)}`, { ...body, [name]: other }),
    ),
    ...(typeof value === 'bigint' ? otherNumbers(value) : []).map((other) =>
      made('another number', `${name}: ${writeJson(other)}`, { ...body, [name]: other }),
    ),
    ...(typeof value === 'string' ? textsFor(value, echoed.has(name)) : []).map(([label, other]) =>
      made(echoed.has(name) ? 'another text' : 'a leak', `${name}, ${label}`, { ...body, [name]: other }),
    ),
  ]);
}

function shapes(body: JsonObject, name: string, value: Json): [kind: string, changed: Wire][] {
  const rest = Object.entries(body).filter(([other]) => other !== name);
  return [
    ['property dropped', Object.fromEntries(rest)],
    ['property renamed', new Members([...rest, [`${name}x`, value]])],
    ['property renamed', new Members([...rest, [name.toUpperCase(), value]])],
    ['property renamed', new Members([...rest, [` ${name}`, value]])],
    ['property renamed', new Members([...rest, ['__proto__', { [name]: value }]])],
    ['property doubled', new Members([...Object.entries(body), [name, value]])],
    ['property doubled', new Members([[name, null], ...Object.entries(body)])],
    ...['id', 'another', '', 'stack', '__proto__', 'constructor', `${name}2`]
      .filter((other) => !(other in body) || other === '__proto__' || other === 'constructor')
      .map((other): [string, Wire] => ['property added', new Members([...Object.entries(body), [other, value]])]),
  ];
}

function ofOtherTypes(value: Json): Wire[] {
  const all: Wire[] = [null, true, false, 0n, 1.5, 'text', '', [], {}, [value], { value }];
  const text = typeof value === 'string' ? [] : [writeJson(value)];
  const isOther = (other: Wire): boolean =>
    typeof other !== typeof value &&
    !(typeof value === 'bigint' && typeof other === 'number' && Number.isInteger(other));
  return [...all, ...text].filter((other) => other === null || isOther(other));
}

// Of the same status one is enough, since nothing but prose tells them apart.
// No int32: which of these is right is told in prose alone.
function otherNumbers(value: bigint): Wire[] {
  return [2n ** 31n, 2n ** 32n + value, 2n ** 64n, new Raw(`${String(value)}.5`), new Raw('1e400')];
}

type Text = readonly [label: string, text: string];

function textsFor(value: string, isEchoed: boolean): Text[] {
  const all = isEchoed ? altered(value) : LEAKS.map(([label, text]): Text => [label, `${value} ${text}`]);
  const different = new Map(all.map(([label, text]) => [text, label]));
  different.delete(value);
  return [...different].map(([text, label]) => [label, text]);
}

function altered(value: string): Text[] {
  return [
    ['trimmed', value.trim()],
    ['in lower case', value.toLowerCase()],
    ['composed', value.normalize('NFC')],
    ['decomposed', value.normalize('NFD')],
    ['with a capital', value.replace(/^[a-z]/, (sign) => sign.toUpperCase())],
    ['escaped for HTML', value.replaceAll('<', '&lt;')],
    ['with other line breaks', value.replaceAll('\r\n', '\n')],
    ['without controls', value.replace(/[^\P{Cc}]/gu, '')],
    ['without a byte order mark', value.replaceAll('\ufeff', '')],
    ['of 255 signs at most', value.slice(0, 255)],
    ['a sign more', `${value}x`],
    ['a sign less', value.slice(0, -1)],
    ['empty', ''],
    ['only ASCII', value.replace(/[^ -~]/g, '?')],
    ['text for nothing', 'null'],
    ['a text of anybody', 'text'],
  ];
}

const LEAKS: readonly Text[] = [
  ['a stack', 'Error: x\n    at serve (/srv/app/server.js:10:5)'],
  ['a frame', 'at Object.run (node:internal/process:1:2)'],
  ['a path', 'cannot open /home/someone/data.db'],
  ['a path of Windows', 'cannot open C:\\data\\store.db'],
  ['a module', 'in node_modules/express'],
  ['a query', 'INSERT INTO things VALUES (1)'],
  ['a code of SQLite', 'SQLITE_BUSY'],
  ['an address', 'connect ECONNREFUSED 127.0.0.1:5432'],
];
