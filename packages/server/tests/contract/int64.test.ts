import { areUnique, createIdentify, isInt64, parseInt64 } from '../../src/contract/json/int64';
import { postThing, startThings } from '../../../../tests/support/start-things';

const MAX = 9223372036854775807n;

test.each<[token: string, value: bigint | undefined]>([
  ['0', 0n],
  ['-0', 0n],
  ['0e9999999999', 0n],
  ['0.000', 0n],
  ['1.0', 1n],
  ['1e3', 1000n],
  ['1E+3', 1000n],
  ['1.5e1', 15n],
  ['1000e-3', 1n],
  ['0.001e3', 1n],
  ['-12', -12n],
  ['9007199254740993', 9007199254740993n],
  ['9223372036854775807', MAX],
  ['9223372036854775807.0', MAX],
  ['9.223372036854775807e18', MAX],
  ['-9223372036854775808', -MAX - 1n],
  ['9223372036854775808', undefined],
  ['-9223372036854775809', undefined],
  ['99999999999999999999', undefined],
  ['1e19', undefined],
  ['1e400', undefined],
  ['1e99999999999999999999', undefined],
  ['1.5', undefined],
  ['1e-1', undefined],
  ['1.0000000000000000000001', undefined],
  ['9007199254740992.5', undefined],
])('the int64 of %s', (token, value) => {
  expect(parseInt64(token)).toBe(value);
});

test('a number of a megabyte is told in linear time', () => {
  const zeros = '0'.repeat(2 ** 20);
  expect(parseInt64(`1${zeros}1`)).toBeUndefined();
  expect(parseInt64(`0.${zeros}1e${String(zeros.length + 1)}`)).toBe(1n);
});

test('a number of JavaScript is not an int64', () => {
  expect(isInt64(1)).toBe(false);
});

describe('POST /things keeps an id digit for digit', () => {
  test.each([
    ['0', 0n],
    ['-0', 0n],
    ['1.0', 1n],
    ['1e3', 1000n],
    ['9007199254740991', 9007199254740991n],
    ['9007199254740992', 9007199254740992n],
    ['9007199254740993', 9007199254740993n],
    ['9223372036854775807', MAX],
    ['-9223372036854775808', -MAX - 1n],
  ])('200 for the id %s', async (token, id) => {
    await using app = await startThings();
    await postThing(app.server, `{"id": ${token} ,"name":"1.5e3 \\" 12345678901234567890 \\\\"}`).expect(200);
    expect(app.rows()).toEqual([{ id, name: '1.5e3 " 12345678901234567890 \\', tag: null }]);
  });

  test.each(['9007199254740993', '9.007199254740993e15'])('200 for the id %s alone', async (token) => {
    await using app = await startThings();
    await postThing(app.server, `{"id":${token},"name":"a"}`).expect(200);
    expect(app.rows()).toEqual([{ id: 9007199254740993n, name: 'a', tag: null }]);
  });

  test.each([
    ...['9223372036854775808', '-9223372036854775809', '18446744073709551616', '1e19', '1e308', '1e400', '1.5'],
    ...['1.0000000000000000000001', '4503599627370497.5', '"9007199254740993"'],
  ])('400 for the id %s', async (token) => {
    await using app = await startThings();
    const reply = await postThing(app.server, `{"id":${token},"name":"a"}`).expect(400);
    expect(reply.body).toMatchObject({ error: 40009, message: expect.stringContaining('request/body/id') as string });
    expect(app.rows()).toEqual([]);
  });

  test('exact beside a value that is nested deeper than any stack', async () => {
    await using app = await startThings();
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    await postThing(app.server, `{"id":9007199254740993,"name":"a","deep":${deep}}`).expect(200);
    expect(app.rows()).toEqual([{ id: 9007199254740993n, name: 'a', tag: null }]);
  });
});

test.each<[string, string, boolean]>([
  ['numbers', '[1,2]', true],
  ['a number twice', '[1,1.0]', false],
  ['0 and -0', '[0,-0]', false],
  ['1 and true', '[1,true]', true],
  ['0, false, null and empty text', '[0,false,null,""]', true],
  ['a number and its text', '[1,"1"]', true],
  ['objects whose members stand in another order', '[{"a":1,"b":2},{"b":2,"a":1}]', false],
  ['objects with other members', '[{"a":1},{"a":1,"b":2}]', true],
  ['objects whose names and values run together', '[{"a":"b,c"},{"a":"b","c":""}]', true],
  ['lists in another order', '[[1,2],[2,1]]', true],
  ['a list twice', '[[1,[2]],[1,[2]]]', false],
  ['lists whose items run together', '[[1,2],["1,2"]]', true],
  ['an empty list and an empty object', '[[],{}]', true],
  ['a member named __proto__', '[{"__proto__":1},{"__proto__":2}]', true],
])('%s are told from each other as JSON Schema says', (_what, items, expected) => {
  expect(areUnique(JSON.parse(items) as unknown[], createIdentify())).toBe(expected);
});

test('int64s that have one double are told from each other', () => {
  expect(areUnique([2n ** 53n, 2n ** 53n + 1n], createIdentify())).toBe(true);
});

test('a list in a list in a list is looked at once, though each of them has to be unique', () => {
  let looks = 0;
  const leaf = new Proxy({}, { ownKeys: () => ((looks += 1), []) });
  const lists: unknown[][] = [[leaf, 1]];
  for (let depth = 0; depth < 9; depth++) lists.push([lists[depth], depth]);
  const identify = createIdentify();
  expect(lists.toReversed().map((list) => areUnique(list, identify))).toEqual(Array(10).fill(true));
  expect(looks).toBe(1);
});
