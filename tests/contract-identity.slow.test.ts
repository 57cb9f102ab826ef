import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { sha256 as generatedFrom } from '../generated/contract';
import type { ContractIdentity } from '../packages/server/src/contract/operation/load-contract';
import { loadText } from './support/load-text';
import { NOTES } from './support/serve-notes';
import { startProcess } from './support/start-process';

const SHA256 = createHash('sha256').update(readFileSync('openapi.yaml')).digest('hex');

/** As a client does that says nothing of codings. */
async function read(url: string, headers: Record<string, string> = {}): Promise<[IncomingMessage, Buffer]> {
  const [reply] = (await once(get(url, { headers }), 'response')) as [IncomingMessage];
  return [reply, await buffer(reply)];
}

test('a contract is told by its version and by its bytes', () => {
  const { identity } = loadText(NOTES);
  expect(identity).toEqual({ version: '2.0.0', sha256: createHash('sha256').update(NOTES).digest('hex') });
  expect(loadText(`${NOTES}# a comment\n`).identity.sha256).not.toBe(identity.sha256);
});

test('the log, the metrics, the ETag of the contract and generated/ tell of the same one', async () => {
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' });
  const [line] = await service.waitFor(/^.*"msg":"listening".*$/m);
  const { url, admin, contract } = JSON.parse(line) as { url: string; admin: string; contract: ContractIdentity };
  expect(contract.sha256).toBe(SHA256);
  expect(generatedFrom).toBe(SHA256);

  const [, metrics] = await read(`${admin}/metrics`);
  expect(metrics.toString().split('\n')).toContain(`contract_info{version="${contract.version}",sha256="${SHA256}"} 1`);

  const [{ headers }, bytes] = await read(`${url}/openapi.yaml`);
  expect(headers.etag).toBe(`"${SHA256}"`);
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(SHA256);
  const [known, nothing] = await read(`${url}/openapi.yaml`, { 'If-None-Match': `"${SHA256}"` });
  expect([known.statusCode, known.headers.etag, nothing.length]).toEqual([304, `"${SHA256}"`, 0]);
  const [other] = await read(`${url}/openapi.yaml`, { 'If-None-Match': `"${SHA256.replace(/./g, '0')}"` });
  expect(other.statusCode).toBe(200);
});
