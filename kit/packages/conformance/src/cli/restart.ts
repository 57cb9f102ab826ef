// Restarts a server that has exited, to find the request that makes it exit.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, type Target } from '../exchange/exchange';
import { runCase } from '../exchange/run-case';
import type { CaseResult, CheckName, Finding } from '../oracle/checks';
import type { Suite } from '../suite';

const MAX_START_MS = 60_000;
const POLL_MS = 100;
// It is unlikely that more were in flight.
const MAX_SUSPECTS = 16;

/**
 * Resends, on its own, each request after which the server was down. Those that end it again keep the finding, and
 * the others get the result of the second attempt.
 *
 * @param command starts the server, such as `node server.js`; it may exit or keep running
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
    // The request in a result already has the target's headers.
    const again = await runCase(oracle, { ...target, headers: [] }, suspect.case);
    // What a valid request needs may be gone because the server exited.
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

/** Whether the server answers, with or without the help of the command. */
async function startAgain(target: Target, command: string): Promise<boolean> {
  if (await isAlive(target)) return true;
  // It keeps running after the suite ends.
  spawn(command, { shell: true, stdio: 'ignore', detached: true }).unref();
  const end = performance.now() + MAX_START_MS;
  while (performance.now() < end) {
    await wait(POLL_MS);
    if (await isAlive(target)) return true;
  }
  return false;
}
