import { TOKEN } from '../../../../../tests/support/start-app';
import {
  atLevel,
  ofError,
  ofReply,
  ofStatus,
  success,
  withHeader,
  withMembers,
  type Fault,
  type SentReply,
} from './fault';

/** Replies that differ in more than the one thing that `reply-mutants/` alters, or in how they are framed. */
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
  // Which 4xx it is, and what a failure says, is for a server to choose.
  ...atLevel('strict', [
    ofError('a wrong query is let pass as a success', [40010], succeeded),
    ofStatus('404 is told as 400', [404], told(400, 40000n)),
    ofStatus('405 is told as 404', [405], told(404, 40400n)),
    ofStatus('a store that is away is 500', [503], (reply) =>
      told(500, 50000n)(withHeader('Retry-After', undefined)(reply)),
    ),
    ofStatus('a store that is away is 200', [503], succeeded),
    ofStatus('a failure is 200', [500], succeeded),
    ofStatus('the token is in the message', [400], withMembers({ message: `the token ${TOKEN} may not do this` })),
  ]),
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

function succeeded(reply: SentReply): SentReply {
  const { headers } = withHeader('Retry-After', undefined)(reply);
  return { ...success('{"name":"conformance","tag":"conformance"}')(reply), headers };
}
