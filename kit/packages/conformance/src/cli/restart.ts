// Restarts a server that has exited, to find the request that made it exit.
import { spawn } from 'node:child_process';
import { setTimeout as wait } from 'node:timers/promises';
import { isAlive, type Target } from '../exchange/exchange';
import { runCase } from '../exchange/run-case';
import type { CaseResult, CheckName, Finding } from '../oracle/checks';
import type { Suite } from '../suite';

const MAX_START_MS = 60_000;
const POLL_MS = 100;
// Maximum number of requests that are resent; more are unlikely to have been in flight.
const MAX_SUSPECTS = 16;

/**
 * Resends every request after which the server was down, one at a time. A request that stops the server again keeps its
 * finding. Any other request gets the result of the second attempt.
 *
 * @param command starts the server, such as `node server.js`; it can exit or keep running
 */
export async function retryAlone(
  suite: Suite,
  target: Target,
  command: string,
  results: readonly CaseResult[],
): Promise<readonly CaseResult[]> {
  const oracle = suite.oracleFor(target.secrets);
  const outcomes = new Map<CaseResult, CaseResult>();
  for (const suspect of results.filter(hasStoppedServer).slice(0, MAX_SUSPECTS)) {
    if (!(await restartServer(target, command))) return results;
    // The request already contains the target's headers.
    const secondResult = await runCase(oracle, { ...target, headers: [] }, suspect.case);
    // When the server exited, it may have lost data that a valid request needs.
    if (await isAlive(target)) outcomes.set(suspect, omitCheck(secondResult, 'valid-refused'));
    else outcomes.set(suspect, { ...suspect, findings: [CRASH, ...omitCheck(suspect, 'server-alive').findings] });
  }
  if (outcomes.size > 0) await restartServer(target, command);
  if (![...outcomes.values()].some(hasStoppedServer)) return results;
  return results.map((result) => outcomes.get(result) ?? omitCheck(result, 'server-alive'));
}

const CRASH: Finding = { check: 'server-alive', text: 'the request ends the server: it did so again, alone' };

function omitCheck(result: CaseResult, name: CheckName): CaseResult {
  return { ...result, findings: result.findings.filter(({ check }) => check !== name) };
}

function hasStoppedServer({ findings }: CaseResult): boolean {
  return findings.some(({ check }) => check === 'server-alive');
}

/** Runs the command unless the server is already up. Returns whether the server answers. */
async function restartServer(target: Target, command: string): Promise<boolean> {
  if (await isAlive(target)) return true;
  // The server keeps running after the suite ends.
  spawn(command, { shell: true, stdio: 'ignore', detached: true }).unref();
  const deadline = performance.now() + MAX_START_MS;
  while (performance.now() < deadline) {
    await wait(POLL_MS);
    if (await isAlive(target)) return true;
  }
  return false;
}
