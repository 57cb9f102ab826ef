import { createBodyBudget, createBodyBuffer, toBudgetBytes, type CountedBody } from '../../src/request/body-budget';

const KB = 1024;
const MB = 1024 ** 2;

/** A budget of 100 bytes whose clock the test holds, and the names of the bodies that it dropped. */
function startBudget(): { begin: (name: string) => CountedBody; wait: (time: number) => void; dropped: string[] } {
  const dropped: string[] = [];
  let time = 0;
  let count = 0;
  const getTime = (): number => time;
  const budget = createBodyBudget(100, () => count++, getTime);
  return {
    dropped,
    begin: (name) =>
      budget.begin(() => {
        dropped.push(name);
        expect(count).toBe(dropped.length);
      }),
    wait(milliseconds) {
      time += milliseconds;
    },
  };
}

test.each([
  [1, 128 * MB],
  [64 * MB, 128 * MB],
  [100 * MB, 200 * MB],
])('with bodies of at most %d bytes all together may take %d', (limit, bytes) => {
  expect(toBudgetBytes(limit)).toBe(bytes);
});

test('of bodies of one size the oldest is dropped, as often as it takes', () => {
  const { begin, wait, dropped } = startBudget();
  for (const name of ['a', 'b', 'c', 'd']) {
    begin(name).add(25);
    wait(1);
  }
  expect(dropped).toEqual([]);
  begin('e').add(1);
  expect(dropped).toEqual(['a']);
  begin('f').add(60);
  expect(dropped).toEqual(['a', 'b', 'c']);
});

test('the body with the fewest bytes a second is dropped, which may be the one that grows', () => {
  const { begin, wait, dropped } = startBudget();
  const slow = begin('slow');
  slow.add(30);
  wait(100);
  begin('fast').add(60);
  wait(10);
  slow.add(11);
  expect(dropped).toEqual(['slow']);
});

test('a younger body is dropped before an older one that is faster', () => {
  const { begin, wait, dropped } = startBudget();
  const fast = begin('fast');
  wait(10);
  begin('slow').add(30);
  wait(50);
  fast.add(71);
  expect(dropped).toEqual(['slow']);
});

test('bodies that trickle cannot keep out one that comes at once', () => {
  const { begin, wait, dropped } = startBudget();
  const trickles = Array.from({ length: 9 }, (_, index) => begin(`trickle ${String(index)}`));
  for (let bytes = 0; bytes < 11; bytes++) {
    for (const trickle of trickles) trickle.add(1);
    wait(1);
  }
  const good = begin('good');
  for (let part = 0; part < 5; part++) good.add(10);
  good.end();
  expect(dropped).not.toContain('good');
  expect(dropped).toHaveLength(5);
});

test('a body below half of the average is not dropped, for that would free little', () => {
  const { begin, wait, dropped } = startBudget();
  begin('small').add(4);
  wait(1_000);
  begin('large').add(90);
  wait(10);
  begin('new').add(20);
  expect(dropped).toEqual(['large']);
});

test('a body that ended no longer counts', () => {
  const { begin, dropped } = startBudget();
  for (let count = 0; count < 10; count++) {
    const body = begin('whole');
    body.add(90);
    body.end();
    body.end();
  }
  expect(dropped).toEqual([]);
});

test('a body that is larger than the budget is dropped itself', () => {
  let isDropped = false;
  const body = createBodyBudget(100).begin(() => (isDropped = true));
  body.add(100);
  expect(isDropped).toBe(false);
  body.add(1);
  expect(isDropped).toBe(true);
});

test('what still comes of a body that was dropped is not counted', () => {
  const { begin, dropped } = startBudget();
  const large = begin('large');
  large.add(101);
  large.add(50);
  begin('next').add(100);
  expect(dropped).toEqual(['large']);
});

test.each([
  ['nothing', []],
  ['one chunk', [40]],
  ['chunks of a byte', Array.from({ length: 200_000 }, () => 1)],
  ['large chunks', [64 * KB, 64 * KB, 64 * KB, 10]],
  ['growing chunks', Array.from({ length: 20 }, (_, power) => 2 ** power)],
  ['chunks that share no block evenly', Array.from({ length: 500 }, (_, index) => (index * 7919) % 3000)],
])('%s are gathered as they came, in buffers of at most twice the size and 64 kB more', (_, sizes) => {
  let held = 0;
  const counted = { add: (bytes: number) => (held += bytes), keep: () => undefined, end: () => (held = 0) };
  const gathered = createBodyBuffer({ begin: () => counted }, () => undefined);
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index));
  let size = 0;
  const isWithinBounds = chunks.map((chunk) => {
    gathered.add(chunk);
    size += chunk.length;
    return held >= size && held <= Math.min(2 * size, size + 64 * KB);
  });
  expect(isWithinBounds).not.toContain(false);
  expect(gathered.toBuffer().equals(Buffer.concat(chunks))).toBe(true);
  expect(held).toBe(0);
});

test('the chunks that are gathered are not touched', () => {
  const gathered = createBodyBuffer(createBodyBudget(10), () => undefined);
  const chunks = [Buffer.from('abc'), Buffer.from('def')];
  for (const chunk of chunks) gathered.add(chunk);
  gathered.discard();
  expect(chunks.map(String)).toEqual(['abc', 'def']);
});
