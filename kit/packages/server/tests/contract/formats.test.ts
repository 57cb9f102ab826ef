import { CHECKED_FORMATS, INTEGER_RANGES } from '@contract-kit/contract';
import { TEXT_FORMATS } from '../../src/validate/formats';
import { postJson, serveOperation, statusesOf } from '@contract-kit/test-support/serve-operation';

const words = (text: string): string[] => text.trim().split(/\s+/);
const LONG_LOCAL = 'a'.repeat(64);

const ROWS: readonly (readonly [format: string, right: readonly string[], wrong: readonly string[]])[] = [
  [
    'date-time',
    words(`2024-02-29T07:00:00Z 2026-11-30t07:00:00.123456789012345z 0000-02-29T00:00:00-23:59
      2016-12-31T15:59:60-08:00 2017-01-01T00:59:60+01:00`),
    words(`2026-02-29T07:00:00Z 1900-02-29T07:00:00Z 2026-13-01T07:00:00Z 2026-04-31T07:00:00Z 2026-04-00T07:00:00Z
      2026-04-01T07:00:00 2026-04-01T07:00:00+01 2026-04-01T07:00:00+0100 2026-04-01T07:00:00.Z 2026-04-01T24:00:00Z
      2026-04-01T24:59:60+01:00 2026-04-01T07:59:60Z`).concat('2026-04-01 07:00:00Z', '2026-04-01T07:00:00Z\n', ''),
  ],
  ['time', words('07:00:00Z 23:59:60.5z 07:00:00+23:59'), words('07:00:00 7:00:00Z 07:00:00+01 07:60:00Z 07:00:61Z')],
  [
    'duration',
    words('P1Y2M3DT4H5M6S P2W PT0S P1D PT5M6S P10M P1YT1H'),
    words('P PT P1YT P1Y2D PT1H2S P1W2D P1M2Y 1D P1.5D P-1D P1'),
  ],
  [
    'email',
    words(
      `a@b a.b+c@example.org ""@example.org a@[127.0.0.1] a@[IPv6:::1] a@[x-y:anything] ${LONG_LOCAL}@example.org`,
    ).concat('"a b@c\\""@example.org'),
    words(`a @b a@ a@b. a..b@c .a@b "a"b"@c a@-b a@[256.0.0.1] a@[IPv6:127.0.0.1] a@[IPv6:fe80::1%1] a@[127.0.0.1
      a${LONG_LOCAL}@example.org`).concat('a b@c'),
  ],
  [
    'hostname',
    words(`a 1.2 a-b.Example ${'a'.repeat(63)}.a xn--bcher-kva.example xn--c1yn36f`),
    // The last ones are Punycode of nothing, of a label with a hyphen at its place, and of a middle dot between others than l.
    words(`a. .a a..b -a a- a_b ä ab--c ${'a'.repeat(64)} ${'a.'.repeat(126)}aa xn--x xn--ab---ooa xn--ab-0ea`).concat(
      '',
    ),
  ],
  [
    'uri',
    words(`a: urn:a:b http://a http://u:p@a:80/b;c?d=/?#e/? http://[::1]:/%c3%a9 http://[v1.a:b] file:///a mailto:a@b
      http://1.2.3.4.5`),
    words(`/a //a 1a:b http://a:b http:/[::1] http://[::1 http://[::1]a http://[fe80::1%25a] http://a@b@c http://a/%g0
      http://ä http://a?" http://a#b#c`).concat('http://a/b c', 'http://a\n', ''),
  ],
  ['uri-reference', words('a /a //a ?a #a ./a:b a/b:c http://a').concat(''), words('1:a [ //a:b " \\a')],
  [
    'uri-template',
    words("a'b /a{?b,c*}{&d:3} {a.b} {%41} {+a} é %41").concat(''),
    words('{ } {} {a {a:0} {a:10000} {a*:1} {.a.} {a..b} " %4 \u007f').concat('{a b}'),
  ],
  [
    'uuid',
    words('2eb8aa08-AA98-11ea-b4aa-73b441d16380 00000000-0000-0000-0000-000000000000'),
    words(`urn:uuid:2eb8aa08-aa98-11ea-b4aa-73b441d16380 2eb8aa08aa9811eab4aa73b441d16380
      2eb8aa08-aa98-11ea-b4aa-73b441d1638`).concat(''),
  ],
];

test.each(ROWS)('a text has the format %s where its RFC says so, and no other has', (format, right, wrong) => {
  const isOfFormat = (text: string): boolean | undefined => TEXT_FORMATS[format]?.validate(text);
  expect(right.filter((text) => isOfFormat(text) !== true)).toEqual([]);
  expect(wrong.filter((text) => isOfFormat(text) !== false)).toEqual([]);
});

test.each(ROWS)('a long text that is nearly of the format %s is judged in linear time', (format, right) => {
  for (const text of right)
    expect(TEXT_FORMATS[format]?.validate(`${text}${text.slice(-1).repeat(1_000_000)}"`)).toBe(false);
});

test.each([
  ['int8', -128, 127],
  ['int16', -32768, 32767],
  ['int32', -2147483648, 2147483647],
  ['uint8', 0, 255],
  ['uint16', 0, 65535],
  ['uint32', 0, 4294967295],
])('a number has the format %s from %i to %i, if it is an integer', async (format, minimum, maximum) => {
  await using served = await serveOperation({ body: `{ type: number, format: ${format} }` });
  const statuses = await statusesOf(served, [minimum, maximum, minimum - 1, maximum + 1, maximum - 0.5].map(String));
  expect(statuses).toEqual([204, 204, 400, 400, 400]);
});

test.each(['3.0.3', '3.1.0'])('OpenAPI %s has these formats', async (version) => {
  await using served = await serveOperation({ version, body: '{ type: string, format: duration }' });
  expect(await statusesOf(served, ['"P1Y2M"', '"P1Y2D"'])).toEqual([204, 400]);
});

// The OpenAPI Format Registry, with the types of each, and other formats.
const STRINGS = words(`base64url binary byte char commonmark date-time-local date-time date decimal decimal128 duration
  email hostname html http-date idn-email idn-hostname int64 ipv4-cidr ipv4 ipv6-cidr ipv6 iri-reference iri json-pointer
  language media-range password regex relative-json-pointer sf-binary sf-boolean sf-string sf-token time-local time uint64
  unixtime uri-reference uri-template uri uuid url iso-time iso-date-time json-pointer-uri-fragment phone valueOf`);
const NUMBERS = words(`decimal decimal128 double-int double float int16 int32 int64 int8 sf-decimal sf-integer uint16
  uint32 uint64 uint8 unixtime date valueOf`);
const TYPED = [
  ...STRINGS.map((format) => ['string', format] as const),
  ...['number', 'integer'].flatMap((type) => NUMBERS.map((format) => [type, format] as const)),
  ['boolean', 'int32'] as const,
];

test('values are refused for the formats that the kit checks, and for no others', async () => {
  const properties = TYPED.map(([type, format]) => `${type}/${format}: { type: ${type}, format: ${format} }`);
  await using served = await serveOperation({ body: `{ type: object, properties: { ${properties.join(', ')} } }` });
  const wrong = {
    string: ['"\\\\ ["', '"("'],
    number: ['1e300', '-1e300'],
    integer: ['1e300', '-1e300'],
    boolean: ['true'],
  };
  const rows = TYPED.map(async ([type, format]) => {
    const bodies = wrong[type as keyof typeof wrong].map((text) => `{"${type}/${format}":${text}}`);
    const isRefused = (await statusesOf(served, bodies)).includes(400);
    return { type, format, isRefused };
  });
  const isChecked = (type: string, format: string): boolean =>
    type === 'string' ? CHECKED_FORMATS.has(format) : type !== 'boolean' && Object.hasOwn(INTEGER_RANGES, format);
  expect(await Promise.all(rows)).toEqual(
    TYPED.map(([type, format]) => ({ type, format, isRefused: isChecked(type, format) })),
  );
});

test('a format beside a maxLength allows null where its type does, also when other fields are wrong', async () => {
  const id = "{ type: [string, integer, 'null'], format: uuid, maxLength: 40 }";
  await using served = await serveOperation({
    body: `{ type: object, properties: { a: { type: string }, b: ${id}, c: ${id} } }`,
  });
  const { text } = await postJson(served, { a: 1, b: null, c: 'x' }).expect(400);
  expect(JSON.parse(text)).toMatchObject({
    message: 'request/body/a must be string, request/body/c must match format "uuid"',
  });
});
