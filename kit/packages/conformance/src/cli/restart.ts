// Starts a server again that has ended, to find the request that ends it.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { exchange, isAlive, type Target } from '../exchange/exchange';
import type { CaseResult } from '../oracle/checks';

const MAX_START_MS = 60_000;
const POLL_MS = 100;
// More were hardly under way.
const MAX_SUSPECTS = 16;

/**
 * Sends each request after which the server was down again, alone: those that end it once more keep the finding.
 *
 * @param command starts the server, such as `node server.js`; it may end or go on
 */
export async function retryAlone(
  target: Target,
  command: string,
  results: readonly CaseResult[],
): Promise<readonly CaseResult[]> {
  const suspects = results.filter(hasEnded).slice(0, MAX_SUSPECTS);
  const culprits = new Set<CaseResult>();
  for (const suspect of suspects) {
    if (!(await startAgain(target, command))) return results;
    await exchange(target, suspect.case);
    if (!(await isAlive(target))) culprits.add(suspect);
  }
  if (suspects.length > 0) await startAgain(target, command);
  if (culprits.size === 0) return results;
  return results.map((result) => {
    if (!hasEnded(result)) return result;
    const others = result.findings.filter(({ check }) => check !== 'server-alive');
    const text = 'the request ends the server: it did so again, alone';
    return { ...result, findings: culprits.has(result) ? [{ check: 'server-alive', text }, ...others] : others };
  });
}

function hasEnded({ findings }: CaseResult): boolean {
  return findings.some(({ check }) => check === 'server-alive');
}

/** Whether the server answers, by itself or because of the command. */
async function startAgain(target: Target, command: string): Promise<boolean> {
  if (await isAlive(target)) return true;
  // It goes on after the suite.
  spawn(command, { shell: true, stdio: 'ignore', detached: true }).unref();
  const end = performance.now() + MAX_START_MS;
  while (performance.now() < end) {
    await wait(POLL_MS);
    if (await isAlive(target)) return true;
  }
  return false;
}
