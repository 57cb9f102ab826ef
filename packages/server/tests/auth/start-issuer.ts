import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { listenOnLoopback } from '../../../../tests/support/listen-on-loopback';
import type { SigningKey } from './start-provider';

/** An issuer that may be wrong in any way, which a provider is not. */
export interface RunningIssuer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The paths that were asked for. */
  readonly requests: readonly string[];
  /** What it answers from now on. */
  answer: (res: ServerResponse, path: string) => void;
}

/** @param answer all of it, other than what an issuer with these keys answers */
export async function startIssuer(
  keys: readonly SigningKey[],
  answer?: RunningIssuer['answer'],
  port = 0,
): Promise<RunningIssuer> {
  const requests: string[] = [];
  const listener: RequestListener = (req, res) => {
    requests.push(String(req.url));
    issuer.answer(res, String(req.url));
  };
  const listening = await listenOnLoopback(createServer(listener), port);
  const url = listening.base.origin;
  const issuer: RunningIssuer = {
    ...listening,
    url,
    requests,
    answer:
      answer ??
      ((res, path) => {
        answerJson(res, path === '/jwks' ? toKeySet(keys) : { issuer: url, jwks_uri: `${url}/jwks` });
      }),
  };
  return issuer;
}

export function answerJson(res: ServerResponse, value: unknown): void {
  res.setHeader('Connection', 'close').end(JSON.stringify(value));
}

export function toKeySet(keys: readonly SigningKey[]): object {
  return { keys: keys.map(({ kid, alg, publicKey }) => ({ ...publicKey.export({ format: 'jwk' }), kid, alg })) };
}
