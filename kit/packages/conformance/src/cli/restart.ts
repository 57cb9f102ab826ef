// Starts a server again that has ended, to find the request that ends it.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, type Target } from '../exchange/exchange';
import { runCase } from '../exchange/run-case';
import type { CaseResult, CheckName, Finding } from '../oracle/checks';
import type { Suite } from '../suite';

const MAX_START_MS = 60_000;
const POLL_MS = 100;
// More were hardly under way.
const MAX_SUSPECTS = 16;

/**
 * Sends each request after which the server was down again, alone: those that end it once more keep the finding, and the
 * others have the result of the second time.
 *
 * @param command starts the server, such as `node server.js`; it may end or go on
 */
export async function retryAlone(
  suite: Suite,
  target: Target,
  command: string,
  results: readonly CaseResult[],
): Promise<readonly CaseResult[]> {
  const oracle = suite.oracleFor(target.secrets);
  const outcomes = new Map<CaseResult, CaseResult>();
  for (const suspect of results.filter(hasEnded).slice(0, MAX_SUSPECTS)) {
    if (!(await startAgain(target, command))) return results;
    // The request of a result has the headers of the target.
    const again = await runCase(oracle, { ...target, headers: [] }, suspect.case);
    // What a valid request needs may be gone since the server ended.
    if (await isAlive(target)) outcomes.set(suspect, without(again, 'valid-refused'));
    else outcomes.set(suspect, { ...suspect, findings: [ENDS, ...without(suspect, 'server-alive').findings] });
  }
  if (outcomes.size > 0) await startAgain(target, command);
  if (![...outcomes.values()].some(hasEnded)) return results;
  return results.map((result) => outcomes.get(result) ?? without(result, 'server-alive'));
}

const ENDS: Finding = { check: 'server-alive', text: 'the request ends the server: it did so again, alone' };

function without(result: CaseResult, name: CheckName): CaseResult {
  return { ...result, findings: result.findings.filter(({ check }) => check !== name) };
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
