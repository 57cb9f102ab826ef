import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { LISTENING, startProcess, type ServiceProcess } from '../../../../tests/support/start-process';
import { useFolder } from '../../../../tests/support/use-folder';

const folder = useFolder();
const CONTRACT = `openapi: 3.1.0
info: { title: A, version: '1' }
security: []
paths: { /a: { post: { operationId: takeA, responses: { '204': { description: Done. } } } } }
`;

function startFailing(name: string): ServiceProcess {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, CONTRACT);
  return startProcess({ CONTRACT: file, FAILS: name }, [], { main: 'proofs/attack/stand-in.js' });
}

test('a service whose close fails logs why, and stops as any other', async () => {
  using service = startFailing('close');
  await service.waitFor(LISTENING);
  service.child.kill('SIGTERM');
  await service.ended;
  expect(service.output.stdout).toMatch(/a bug in close.*what the service opened could not be closed[^]*"stopped"/);
  expect(service.output.stderr).not.toContain('a bug in close');
});

test('a service whose description fails says so and ends, before it listens', async () => {
  using service = startFailing('describe');
  await expect(service.ended).resolves.toBe(1);
  expect(service.output.stderr).toContain('a bug in describe');
});
