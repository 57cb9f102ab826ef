import { createGatheredBytes } from '../../src/contract/gather';

const KB = 1024;

test.each([
  ['nothing', []],
  ['one chunk', [40]],
  ['chunks of a byte', Array.from({ length: 200_000 }, () => 1)],
  ['large chunks', [64 * KB, 64 * KB, 64 * KB, 10]],
  ['growing chunks', Array.from({ length: 20 }, (_, power) => 2 ** power)],
  ['chunks that share no block evenly', Array.from({ length: 500 }, (_, index) => (index * 7919) % 3000)],
])('%s: the bytes as they came, in buffers of at most twice the size and 64 kB more', (_, sizes) => {
  const gathered = createGatheredBytes();
  const chunks = sizes.map((size, index) => Buffer.alloc(size, index));
  let held = 0;
  let size = 0;
  const isWithinBounds = chunks.map((chunk) => {
    held += gathered.add(chunk);
    size += chunk.length;
    return held >= size && held <= Math.min(2 * size, size + 64 * KB);
  });
  expect(isWithinBounds).not.toContain(false);
  expect(gathered.toBuffer().equals(Buffer.concat(chunks))).toBe(true);
});

test('the chunks themselves are not touched', () => {
  const gathered = createGatheredBytes();
  const chunks = [Buffer.from('abc'), Buffer.from('def')];
  for (const chunk of chunks) gathered.add(chunk);
  gathered.discard();
  expect(chunks.map(String)).toEqual(['abc', 'def']);
});
