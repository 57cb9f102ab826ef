import type { Fault } from './fault';
import { objectOf, onObject, onStatus } from './change-reply';
import { toText, type JsonObject, type Wire } from '../../../src/wire/json';

function plant(name: string, change: (plant: JsonObject, sent: JsonObject) => Wire): Fault {
  return {
    name,
    reply: onStatus(
      [200],
      onObject((body, { body: sent }) => change(body, objectOf(sent))),
    ),
  };
}

function text(name: string, change: (text: string) => string): Fault {
  return plant(`a plant comes back ${name}`, (body) =>
    Object.fromEntries(Object.entries(body).map(([key, value]) => [key, change(toText(value))])),
  );
}

/** Plants that do not come back as they were sent. */
export const plantFaults: readonly Fault[] = [
  plant('the id is returned', (body, { id = 1n }) => ({ id, ...body })),
  plant('a missing tag comes back as null', (body) => ({ tag: null, ...body })),
  plant('a missing tag comes back empty', (body) => ({ tag: '', ...body })),
  plant('the tag is left out', ({ name = '' }) => ({ name })),
  plant('an empty tag is left out', ({ name = '', tag = '' }) => (tag === '' ? { name } : { name, tag })),
  plant('the name is left out', ({ tag }) => (tag === undefined ? {} : { tag })),
  plant('the name is called title', ({ name = '', ...rest }) => ({ title: name, ...rest })),
  plant('a time is added', (body) => ({ ...body, createdAt: '2024-02-29T12:00:00Z' })),
  plant('everything that was sent comes back', (_body, sent) => sent),
  plant('name and tag change places', ({ name = '', tag }) =>
    tag === undefined ? { name } : { name: tag, tag: name },
  ),
  plant('the reply is always the same', () => ({ name: 'Rose', tag: 'flower' })),
  plant('the reply is inside of data', (data) => ({ data })),
  plant('the reply is a list', (body) => [body]),
  plant('the reply is an empty object', () => ({})),
  plant('the reply is null', () => null),
  plant('a name that looks like a number comes back as one', (body) =>
    body['name'] === '1' ? { ...body, name: 1n } : body,
  ),
  text('trimmed', (value) => value.trim()),
  text('in lower case', (value) => value.toLowerCase()),
  text('with a capital', (value) => value.replace(/^[a-z]/, (sign) => sign.toUpperCase())),
  text('composed (NFC)', (value) => value.normalize('NFC')),
  text('decomposed (NFD)', (value) => value.normalize('NFD')),
  text('without astral signs', (value) => value.replace(/[\u{10000}-\u{10ffff}]/gu, '\ufffd')),
  text('in ASCII', (value) => value.replace(/[^ -~]/g, '?')),
  text('escaped for HTML', (value) => value.replaceAll('<', '&lt;')),
  text('with other line breaks', (value) => value.replaceAll('\r\n', '\n')),
  text('without controls', (value) => value.replace(/[^\P{Cc}]/gu, '')),
  text('without a byte order mark', (value) => value.replaceAll('\ufeff', '')),
  text('of 255 signs at most', (value) => value.slice(0, 255)),
  text('with nothing for the text null', (value) => (value === 'null' ? '' : value)),
];
