import { randomUUID } from 'node:crypto';
import { accessSync, constants, openAsBlob, readdirSync, rmSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../errors/refusal';
import type { BodyBudget } from './body-budget';

const PREFIX = `contract-kit-${hostname()}`;
// A container that replaces another may have the same process id, so file names also include the start time.
const START = String(Math.round(performance.timeOrigin));
const FILE_NAME = /^(.*)-(\d+)-(\d+)-[\da-f]{8}-[\da-f-]{27}$/;

/** A temporary file for a request body that is too large for memory. */
export interface TemporaryFile {
  /** @throws Refusal if the bytes cannot be written, for example because the disk is full */
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Closes the file. The Blob stays readable until the file is removed. */
  readonly toBlob: () => Promise<Blob>;
  /** Delays the removal until the work is done. */
  readonly keepDuring: (work: Promise<unknown>) => void;
  readonly remove: () => Promise<void>;
}

/** Creates a file. `drop` is called when other bodies need the space. */
export type CreateTemporaryFile = (drop: () => void) => TemporaryFile;

/** @param budget limits the total size of all files */
export function createTemporaryFiles(budget: BodyBudget, folder: string = tmpdir()): CreateTemporaryFile {
  return (drop) => {
    const path = join(folder, `${PREFIX}-${String(process.pid)}-${START}-${randomUUID()}`);
    const countedBody = budget.begin(drop);
    let isRemoved = false;
    let pendingWork: Promise<unknown> | undefined;
    // Opening fails if the file exists. Only this user can read the file.
    const openPromise = open(path, 'wx', 0o600);
    let lastStep: Promise<unknown> = openPromise.catch(() => undefined);
    function enqueue<T>(step: () => Promise<T>): Promise<T> {
      const result = lastStep.then(step);
      lastStep = result.catch(() => undefined);
      return result;
    }

    function refuseOnFailure<T>(step: () => Promise<T>): Promise<T> {
      return enqueue(step).catch((cause: unknown) => {
        throw new Refusal('SERVICE_UNAVAILABLE', undefined, { cause });
      });
    }

    return {
      write(bytes) {
        // Counting can drop the body. Its file is then removed before this step.
        countedBody.add(bytes.length);
        return refuseOnFailure(async () => {
          if (!isRemoved) await (await openPromise).appendFile(bytes);
        });
      },
      toBlob() {
        countedBody.keep();
        return refuseOnFailure(async () => {
          await (await openPromise).close();
          return await openAsBlob(path);
        });
      },
      keepDuring(work) {
        pendingWork = Promise.allSettled([work]);
      },
      remove: () => {
        if (isRemoved) return lastStep.then(() => undefined);
        isRemoved = true;
        return enqueue(async () => {
          await pendingWork;
          const handle = await openPromise.catch(() => undefined);
          await handle?.close();
          await rm(path, { force: true });
          countedBody.end();
        });
      },
    };
  };
}

/** @throws Error unless files in the folder can be created and listed */
export function assertFolder(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!statSync(folder).isDirectory()) throw new Error('not a directory');
  } catch (cause) {
    throw new Error(`must be a folder in which files can be created: ${(cause as Error).message}`, { cause });
  }
}

/** Removes files that earlier processes on this machine left behind. @throws Error if the folder cannot be used */
export function sweepTemporaryFiles(folder: string = tmpdir()): void {
  assertFolder(folder);
  for (const name of readdirSync(folder)) {
    const [, prefix, pid, start] = FILE_NAME.exec(name) ?? [];
    if (prefix !== PREFIX) continue;
    const isOwn = Number(pid) === process.pid;
    if (isOwn ? start !== START : !isRunning(Number(pid))) removeIfAllowed(join(folder, name));
  }
}

// Whether a process exists. A process that cannot be signalled exists, but belongs to another user.
function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function removeIfAllowed(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // The file belongs to another user.
  }
}
