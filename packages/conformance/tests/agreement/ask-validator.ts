import type { Request } from 'express';
import { startEov } from '../../../../tests/support/start-eov';
import { titleOf, type Case } from '../../src/generators/case';
import { mapInPool } from '../../src/exchange/pool';
import { sendCase, type Target } from '../../src/exchange/exchange';
import type { Suite } from '../../src/suite';
import { IMPATIENT } from '../../../server/src/situations';
import type { Difference } from './eov-differences';

// Only statuses count, which do not depend on other requests, and some replies wait for what a client may still send.
const AT_ONCE = 16;

/**
 * Sends every case to the kit and to express-openapi-validator, wired as its documentation says.
 *
 * @param file the contract
 * @param target the kit that serves it
 */
export async function findDifferences(file: string, suite: Suite, target: Target): Promise<Difference[]> {
  const handlers = toHandlers(target);
  const options = { apiSpec: file, validateSecurity: { handlers } };
  // The validator has accepted what its handler is asked for.
  const accept: Parameters<typeof startEov>[1] = (_req, res) => void res.status(204).end();
  await using whole = await startEov(options, accept);
  await using impatient = await startEov(options, accept, IMPATIENT);
  const validator = { ...target, base: whole.base };

  const differences = await mapInPool(suite.cases, AT_ONCE, async (one): Promise<Difference[]> => {
    const asked = isUnfinished(one) ? { ...validator, base: impatient.base } : validator;
    const isAccepted = (await statusOf({ ...asked, situations: {} }, one)) < 300;
    const status = await statusOf(target, one);
    // What it cannot do, it has not refused.
    const isAcceptedByKit = status < 300 || status >= 500;
    return isAccepted === isAcceptedByKit ? [] : [{ case: one, acceptedBy: isAccepted ? 'validator' : 'kit' }];
  });
  return differences.flat();
}

/** Takes the last word of the header for the token, as many handlers do; what comes before is the validator's part. */
function toHandlers({ secrets }: Target): Record<string, (req: Request, scopes: unknown, scheme: object) => boolean> {
  const all = Object.entries(secrets).map(([name, secret]) => [
    name,
    ({ headers }: Request, _scopes: unknown, scheme: object) =>
      ('in' in scheme && 'name' in scheme
        ? headers[String(scheme.name).toLowerCase()]
        : headers.authorization?.split(' ').at(-1)) === secret,
  ]);
  return Object.fromEntries(all) as ReturnType<typeof toHandlers>;
}

// Neither the parser nor node:http answers before the rest has come, unless they are told to lose patience.
function isUnfinished({ class: kind, request, situation }: Case): boolean {
  return situation === 'impatient' || (kind === 'size' && request.body === undefined);
}

async function statusOf(target: Target, one: Case): Promise<number> {
  const text = (await sendCase(target, one)).toString('latin1');
  const [, status] = /(?:^|\r\n\r\n)HTTP\/1\.1 ([2-5]\d\d) /.exec(text) ?? [];
  if (status === undefined) throw new Error(`${titleOf(one)}: there is no reply`);
  return Number(status);
}
