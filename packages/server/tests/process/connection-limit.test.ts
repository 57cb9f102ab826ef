import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readConnectionLimit } from '../../src/runtime/create-server';
import { useFolder } from '../../../../tests/support/use-folder';

const folder = useFolder();

test.each([
  ['1048576', 5_000],
  ['5048', 5_000],
  ['5047', 4_999],
  ['1024', 976],
  ['64', 16],
  ['40', 1],
  ['unlimited', 5_000],
])('of %s file descriptors, 48 are for what else is open', (descriptors, connections) => {
  const file = join(folder, descriptors);
  writeFileSync(
    file,
    `Limit                     Soft Limit           Hard Limit           Units     \nMax processes             7                    7                    processes \nMax open files            ${descriptors.padEnd(20)} 1048576              files     \n`,
  );
  expect(readConnectionLimit(5_000, file)).toBe(connections);
});

test('where the limit is not told, all are allowed', () => {
  expect(readConnectionLimit(5_000, join(folder, 'none'))).toBe(5_000);
});
