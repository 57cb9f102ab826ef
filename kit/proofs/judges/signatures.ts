// Judges the verifier of JWTs by Wycheproof: an issuer on loopback publishes the key of each group.
import { compactVerify } from 'jose';
import { createIssuerKeys } from '../../packages/server/src/auth/issuer-keys';
import { ALGORITHMS, isCompactJws } from '../../packages/server/src/auth/jwt-verifier';
import { answerJson, startIssuer } from '../../packages/server/tests/auth/start-issuer';
import { readJsonFile, Verdicts } from './judge';

interface Group {
  /** A key, or a set of them; symmetric ones are private. */
  readonly public?: object;
  readonly private?: object;
  readonly tests: readonly {
    readonly tcId: number;
    readonly comment: string;
    readonly jws: string;
    readonly result: 'valid' | 'invalid' | 'acceptable';
  }[];
}

const LOG = { info: () => undefined, warn: () => undefined };

export async function judgeSignatures(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  await using issuer = await startIssuer([]);
  for (const kind of ['signature', 'key']) {
    const { testGroups } = readJsonFile(data, 'wycheproof', `json_web_${kind}_test.json`) as {
      readonly testGroups: readonly Group[];
    };
    for (const { tests, ...group } of testGroups) {
      const published = group.public ?? group.private ?? {};
      issuer.answer = (res, path) => {
        const set = 'keys' in published ? published : { keys: [published] };
        answerJson(res, path === '/jwks' ? set : { issuer: issuer.url, jwks_uri: `${issuer.url}/jwks` });
      };
      const { findKey, close } = createIssuerKeys(issuer.url, LOG);
      for (const { tcId, comment, jws, result } of tests) {
        const verdict = await verify(jws, findKey);
        const isRight = result === 'acceptable' || result === verdict;
        verdicts.add(`${kind} ${String(tcId)} ${comment}`, isRight ? undefined : verdict);
      }
      close();
    }
  }
  return verdicts;
}

/** What the verifier does before it reads the claims: the payloads are not claims. */
async function verify(
  token: string,
  findKey: ReturnType<typeof createIssuerKeys>['findKey'],
): Promise<'valid' | 'invalid'> {
  if (!isCompactJws(token)) return 'invalid';
  try {
    await compactVerify(token, findKey, { algorithms: ALGORITHMS });
    return 'valid';
  } catch {
    return 'invalid';
  }
}
