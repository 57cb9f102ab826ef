import { createServer, type RequestListener } from 'node:http';
import { listenOnLoopback, type ListeningServer } from '../../../tests/support/listen-on-loopback';

/** A server that answers whatever it likes, once it has all of a request. */
export function serveReplies(listener: RequestListener): Promise<ListeningServer> {
  return listenOnLoopback(
    createServer((req, res) => {
      req.resume().on('end', () => {
        listener(req, res);
      });
    }),
  );
}
