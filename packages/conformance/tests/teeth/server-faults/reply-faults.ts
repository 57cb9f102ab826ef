import { ofReply, ofStatus, withHeader, withMembers, type Fault, type SentReply } from './fault';

/** Replies that differ in more than the one thing that `reply-mutants.ts` alters, or in how they are framed. */
export const replyFaults: readonly Fault[] = [
  ofStatus('a success is 204 without a body', [200], ({ headers }) => ({
    ...{ status: 204, headers: headers.filter(([name]) => !/^content-/i.test(name)) },
    ...{ body: Buffer.alloc(0), isFramed: true },
  })),
  ofReply('Content-Length is one too small', framed(-1)),
  ofReply('Content-Length is one too large', framed(1)),
  ofReply('a reply to HEAD is framed twice', (reply, { method }) =>
    method === 'HEAD' ? { ...withHeader('Transfer-Encoding', 'chunked')(reply), isFramed: true } : reply,
  ),
  ofStatus('a failure is 503', [500], told(503, 50300n)),
];

/** @param more than the length of the body */
function framed(more: number): (reply: SentReply) => SentReply {
  return (reply) => ({
    ...withHeader('Content-Length', String(reply.body.length + more))(reply),
    isFramed: true,
  });
}

function told(status: number, error: bigint): (reply: SentReply) => SentReply {
  return (reply) => ({ ...withMembers({ error })(reply), status });
}
