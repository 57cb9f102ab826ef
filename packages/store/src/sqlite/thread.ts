// A thread that writes the database, or one that reads it. Node runs this file directly, even where the rest of the
// source is compiled in memory: it may import only Node's modules, and files like this one by their full names.
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { connect, type ConnectionOptions, type Work } from './connection.ts';

export type Question = Work | 'close';

const FILE_CHECK_MS = 1_000;

/** Answers questions. An error ends the thread, which says why. */
export function serveDatabase(port: MessagePort, task: ConnectionOptions): void {
  const connection = connect(task);
  // Look at the files regularly, so that acknowledged rows move along with a renamed file even when no message comes.
  const checkTimer = setInterval(connection.checkFiles, FILE_CHECK_MS);
  port.on('message', (question: Question) => {
    if (question !== 'close') {
      port.postMessage(connection.answer(question));
      return;
    }
    clearInterval(checkTimer);
    connection.close();
    port.close();
  });
}

/* istanbul ignore next: coverage does not see the thread */
if (parentPort !== null) serveDatabase(parentPort, workerData as ConnectionOptions);
