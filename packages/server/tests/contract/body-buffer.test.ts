import { createBodyBudget, createBodyBuffer } from '../../src/request/receive-body';

const KB = 1024;

test.each([
  ['nothing', []],
  ['one chunk', [40]],
  ['chunks of a byte', Array.from({ length: 200_000 }, () => 1)],
  ['large chunks', [64 * KB, 64 * KB, 64 * KB, 10]],
  ['growing chunks', Array.from({ length: 20 }, (_, power) => 2 ** power)],
  ['chunks that share no block evenly', Array.from({ length: 500 }, (_, index) => (index * 7919) % 3000)],
])('%s: the bytes as they came, in buffers of at most twice the size and 64 kB more', (_, sizes) => {
  let held = 0;
  const counted = { add: (bytes: number) => (held += bytes), end: () => (held = 0) };
  const buffered = createBodyBuffer({ begin: () => counted }, () => undefined);
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index));
  let size = 0;
  const isWithinBounds = chunks.map((chunk) => {
    buffered.add(chunk);
    size += chunk.length;
    return held >= size && held <= Math.min(2 * size, size + 64 * KB);
  });
  expect(isWithinBounds).not.toContain(false);
  expect(buffered.toBuffer().equals(Buffer.concat(chunks))).toBe(true);
  expect(held).toBe(0);
});

test('the chunks themselves are not touched', () => {
  const buffered = createBodyBuffer(createBodyBudget(10), () => undefined);
  const chunks = [Buffer.from('abc'), Buffer.from('def')];
  for (const chunk of chunks) buffered.add(chunk);
  buffered.discard();
  expect(chunks.map(String)).toEqual(['abc', 'def']);
});
