// The temporary files of request bodies that are too large for memory.
import { randomUUID } from 'node:crypto';
import { accessSync, constants, openAsBlob, readdirSync, rmSync, statSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal } from '../errors/refusal';
import type { BodyBudget } from './body-budget';

const PREFIX = `contract-kit-${hostname()}`;
// Containers that replace each other have the same process id: the start tells their files apart.
const START = String(Math.round(performance.timeOrigin));
const FILE_NAME = /^(.*)-(\d+)-(\d+)-[\da-f]{8}-[\da-f-]{27}$/;

/** A temporary file, of which one request has the bytes. */
export interface TemporaryFile {
  /** Fulfilled when the bytes are written. @throws Refusal when they cannot be, such as on a full disk */
  readonly write: (bytes: Buffer) => Promise<void>;
  /** Ends the writing. The Blob can be read until the file is removed. */
  readonly toBlob: () => Promise<Blob>;
  /** Removes it only when the work is done. */
  readonly keepDuring: (work: Promise<unknown>) => void;
  readonly remove: () => Promise<void>;
}

/** Creates a file. `drop` is called when other bodies need its space. */
export type CreateTemporaryFile = (drop: () => void) => TemporaryFile;

/** @param budget for the bytes of all files together */
export function createTemporaryFiles(budget: BodyBudget, folder: string = tmpdir()): CreateTemporaryFile {
  return (drop) => {
    const path = join(folder, `${PREFIX}-${String(process.pid)}-${START}-${randomUUID()}`);
    const counted = budget.begin(drop);
    let isRemoved = false;
    let users: Promise<unknown> | undefined;
    // Only this user may read it, and nothing that is there already is opened.
    const opened = open(path, 'wx', 0o600);
    // One step after the other.
    let last: Promise<unknown> = opened.catch(() => undefined);
    function enqueue<T>(step: () => Promise<T>): Promise<T> {
      const done = last.then(step);
      last = done.catch(() => undefined);
      return done;
    }

    // A full disk is the usual cause.
    function refuseOnFailure<T>(step: () => Promise<T>): Promise<T> {
      return enqueue(step).catch((cause: unknown) => {
        throw new Refusal('SERVICE_UNAVAILABLE', undefined, { cause });
      });
    }

    return {
      write(bytes) {
        // May drop this body: then its file is gone before its turn.
        counted.add(bytes.length);
        return refuseOnFailure(async () => {
          if (!isRemoved) await (await opened).appendFile(bytes);
        });
      },
      toBlob() {
        counted.keep();
        return refuseOnFailure(async () => {
          await (await opened).close();
          return await openAsBlob(path);
        });
      },
      keepDuring(work) {
        users = Promise.allSettled([work]);
      },
      remove: () => {
        if (isRemoved) return last.then(() => undefined);
        isRemoved = true;
        return enqueue(async () => {
          await users;
          const handle = await opened.catch(() => undefined);
          await handle?.close();
          await rm(path, { force: true });
          counted.end();
        });
      },
    };
  };
}

/** @throws Error unless files can be created and listed in a folder */
export function assertFolder(folder: string): void {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    if (!statSync(folder).isDirectory()) throw new Error('not a directory');
  } catch (cause) {
    throw new Error(`must be a folder in which files can be created: ${(cause as Error).message}`, { cause });
  }
}

/** Removes the files of processes of this machine that ended without doing so. @throws Error when the folder cannot be used */
export function sweepTemporaryFiles(folder: string = tmpdir()): void {
  assertFolder(folder);
  for (const name of readdirSync(folder)) {
    const [, prefix, pid, start] = FILE_NAME.exec(name) ?? [];
    if (prefix !== PREFIX) continue;
    const isOwn = Number(pid) === process.pid;
    if (isOwn ? start !== START : !isRunning(Number(pid))) removeIfAllowed(join(folder, name));
  }
}

// Another user's files stay, as those of a process that cannot be signalled.
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
    // Files of another user stay.
  }
}
