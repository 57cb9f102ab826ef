import { createServer } from 'node:http';
import type { Adapter } from 'oidc-provider';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { AUDIENCE, type SigningKey } from './start-issuer';

const CLIENT = { client_id: 'a-client', client_secret: 'a-secret' };

const nothing = (): Promise<undefined> => Promise.resolve(undefined);
const NOTHING_KEPT: Adapter = {
  ...{ upsert: nothing, find: nothing, findByUserCode: nothing, findByUid: nothing },
  ...{ consume: nothing, destroy: nothing, revokeByGrantId: nothing },
};

/** An OpenID provider on loopback. */
export interface RunningProvider extends AsyncDisposable {
  readonly issuer: string;
  /** The paths that were asked for. */
  readonly requests: readonly string[];
  /** An access token of the client-credentials grant. */
  readonly token: (resource?: string) => Promise<string>;
}

/** @param keys the first one signs */
export async function startProvider(keys: readonly SigningKey[], port = 0): Promise<RunningProvider> {
  // It warns of each Node that has no long-term support yet.
  Object.assign(process.release, { lts: process.release.lts ?? 'None' });
  const { Provider } = await import('oidc-provider');
  const requests: string[] = [];
  const listening = await listenOnLoopback(createServer(), port);
  const issuer = listening.base.origin;
  const alg = keys[0]?.alg as 'RS256';
  const responses = { redirect_uris: [], response_types: [], id_token_signed_response_alg: alg };
  const provider = new Provider(issuer, {
    clients: [{ ...CLIENT, grant_types: ['client_credentials'], ...responses }],
    enabledJWA: { idTokenSigningAlgValues: ['RS256', 'ES256', 'EdDSA'] },
    jwks: {
      keys: keys.map((key) => ({
        ...key.privateKey.export({ format: 'jwk' }),
        kid: key.kid,
        alg: key.alg,
        use: 'sig',
      })),
    },
    // What it gives out is signed, not kept.
    adapter: () => NOTHING_KEPT,
    ttl: { ClientCredentials: 600 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: (_, audience) => {
          return { scope: 'things', audience, accessTokenFormat: 'jwt', jwt: { sign: { alg } } };
        },
      },
    },
  });
  const answer = provider.callback();
  listening.server.on('request', (req, res) => {
    requests.push(String(req.url));
    // The next provider on this port shall not get what was meant for this one.
    res.setHeader('Connection', 'close');
    void answer(req, res);
  });
  return {
    ...listening,
    issuer,
    requests,
    async token(resource = AUDIENCE) {
      const body = new URLSearchParams({ ...CLIENT, grant_type: 'client_credentials', resource });
      const reply = await fetch(`${issuer}/token`, { method: 'POST', body });
      const { access_token: token } = (await reply.json()) as { access_token: string };
      return token;
    },
  };
}
