// Seeds faults, and counts those that the conformance suite detects.
import { mkdirSync, writeFileSync } from 'node:fs';
import { proveContractMutants } from '../../packages/conformance/tests/teeth/contract-mutants/contract-mutants';
import {
  SAMPLE,
  formatProof,
  formatVerdicts,
  isProven,
  summarize,
  createProgress,
  type Progress,
  type Proof,
} from '../../packages/conformance/tests/teeth/proof';
import { proveReplyMutants } from '../../packages/conformance/tests/teeth/reply-mutants';
import { proveFeatureFaults } from '../../packages/conformance/tests/teeth/server-faults/feature-faults';
import { proveServerFaults } from '../../packages/conformance/tests/teeth/server-faults/server-faults';

const CONTRACT = 'packages/test-support/plants/openapi.yaml';
const REPORTS = 'reports/conformance';
const PROOFS: Readonly<Record<string, (progress: Progress, extent: number) => Promise<Proof>>> = {
  contract: (...args) => proveContractMutants(CONTRACT, ...args),
  reply: (...args) => proveReplyMutants(CONTRACT, ...args),
  server: (...args) => proveServerFaults(CONTRACT, ...args),
  // This has a contract of its own.
  features: proveFeatureFaults,
};

/** @param args `--sample` for a part of each proof; names of proofs, such as `server`, for these alone */
async function main(args: readonly string[]): Promise<void> {
  const names = args.filter((arg) => arg !== '--sample');
  const extent = args.includes('--sample') ? SAMPLE : Infinity;
  const progress = createProgress({ isTTY: process.stderr.isTTY, write: (text) => process.stderr.write(text) });
  const proofs: Proof[] = [];
  for (const [name, prove] of Object.entries(PROOFS)) {
    if (names.length === 0 || names.includes(name)) proofs.push(await prove(progress, extent));
  }
  const tables = `${proofs.map(formatProof).join('\n\n')}\n`;
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(`${REPORTS}/sensitivity.txt`, tables);
  writeFileSync(`${REPORTS}/sensitivity-verdicts.txt`, proofs.map(formatVerdicts).join(''));
  process.stdout.write(`\n${tables}\nresult: ${summarize(proofs)}\n`);
  if (proofs.length === 0 || !proofs.every(isProven)) process.exitCode = 1;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
