import { spawnSync } from 'node:child_process';

// No compiler sees that a server of the benchmark, which is JavaScript, uses what the packages no longer have.
test('all servers of the benchmark reply', () => {
  const parts = 'handling,durable,cpu';
  const load = ['--rounds', '1', '--seconds', '1', '--connections', '2'];
  const { stdout, stderr } = spawnSync('npm', ['run', '--silent', 'check', '--', 'bench', '--only', parts, ...load], {
    encoding: 'utf8',
  });
  expect({ stdout, stderr }).toMatchObject({
    stdout: expect.stringContaining(`measured: ${parts.replaceAll(',', ', ')}`) as string,
  });
}, 600_000);
