import { readFileSync } from 'node:fs';
import { judgeKit } from './stand-ins/judge-kit';

test('the kit keeps a contract that has every keyword with every case that follows from it', async () => {
  const source = readFileSync('tests/fixtures/keywords.yaml', 'utf8');
  await expect(judgeKit(source, { bodyLimit: 64 * 1024, runs: 200 })).resolves.toEqual([]);
}, 600_000);
