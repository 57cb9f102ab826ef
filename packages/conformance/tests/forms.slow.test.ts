import { readFileSync } from 'node:fs';
import { judgeKit } from './stand-ins/judge-kit';

test('the kit keeps a contract of forms with files with every case that follows from it', async () => {
  const source = readFileSync('tests/fixtures/forms.yaml', 'utf8');
  await expect(judgeKit(source, { bodyLimit: 64 * 1024, runs: 20 })).resolves.toEqual([]);
}, 600_000);
