import { areUnique, createIdentify } from '../../src/contract/json/int64';

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
