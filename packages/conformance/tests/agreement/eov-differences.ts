import type { Request } from 'express';
import { startEov } from '../../../../tests/support/start-eov';
import { titleOf, type Case } from '../../src/generators/case';
import { mapInOrder } from '../../src/exchange/pool';
import { sendCase, type Target } from '../../src/exchange/exchange';
import type { Suite } from '../../src/suite';
import { IMPATIENT } from '../../../server/src/runtime/situations';

/** A request on which express-openapi-validator and the kit differ. */
interface Difference {
  readonly case: Case;
  /** Which of them accepts it. */
  readonly acceptedBy: 'validator' | 'kit';
}

interface Kind extends Pick<Difference, 'acceptedBy'> {
  readonly class?: Case['class'];
  readonly label: RegExp;
}

/** Texts of parameters of which only `Number()` makes a number. */
export const WRITTEN_LENIENTLY = /, written "(?:\+1|01|1\.|0x1|0b1|Infinity|\s*1\s*|1\\n)"$/;

/**
 * What express-openapi-validator, or Express and node:http round it, are known to do otherwise. What is its own has the
 * same name in packages/server/src/validate/eov/README.md.
 */
export const DIFFERENCES: Readonly<Record<string, Kind>> = {
  'an int64 is not checked': {
    acceptedBy: 'validator',
    label: /\bint64 (?:minimum-1|maximum\+1)$|far beyond, |type integer, 9223372036854775807\.5$/,
  },
  'bytes that are no UTF-8 become U+FFFD': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /^(?:UTF-8: .*|Latin-1)$/,
  },
  'an unpaired surrogate is Unicode text': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /\bsurrogates?\b/,
  },
  'a byte order mark is skipped': { acceptedBy: 'validator', class: 'malformed', label: /^a byte order mark$/ },
  'two Host or Authorization headers pass': {
    acceptedBy: 'validator',
    label: /^(?:two Hosts \(.*\)|the Host twice|the header twice|the right header and a wrong one)(?:, beside |$)/,
  },
  'a malformed Host and a request line without a version pass': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /^(?:a malformed Host \(.*\)|no version)$/,
  },
  'chunks of HTTP/1.0 are read': { acceptedBy: 'validator', class: 'malformed', label: /^chunks of HTTP\/1\.0 / },
  'a Content-Type that is malformed, of another charset or there twice passes': {
    acceptedBy: 'validator',
    class: 'media',
    label: /^the type \S+; (?:charset|=1|charset=.*)$|^the type twice$|^two types$/,
  },
  'a compressed body is decompressed': { acceptedBy: 'validator', class: 'media', label: /^the coding gzip$/ },
  'a scheme that only contains `bearer` passes for it': {
    acceptedBy: 'validator',
    class: 'auth',
    // The token of a stand-in contains the word, too.
    label: /^(?:a scheme that (?:ends in|begins with) the right one|(?:no|another|an unknown) scheme)(?:, beside |$)/,
  },
  'a path passes in another case and with a slash at its end': {
    acceptedBy: 'validator',
    class: 'path',
    // A parameter of one sign less leaves a slash.
    label: /^(?:a slash at the end|a sign less|upper case)$/,
  },
  'a query parameter behind 1,000 others is not seen': {
    acceptedBy: 'validator',
    class: 'parameter',
    label: /, behind 1,100 ampersands$/,
  },
  'a path with an encoded letter is 404': { acceptedBy: 'kit', class: 'path', label: /^a letter encoded/ },
  'a target in absolute form is 404': {
    acceptedBy: 'kit',
    class: 'path',
    label: /^behind the same target in absolute form/,
  },
};

/** What only a contract with more than one body shows. */
export const MORE_DIFFERENCES: Readonly<Record<string, Kind>> = {
  'a number in a parameter is whatever `Number()` reads': {
    acceptedBy: 'validator',
    class: 'parameter',
    label: WRITTEN_LENIENTLY,
  },
  'a date may have a month 13 or a 30th of February': {
    acceptedBy: 'validator',
    label: /format date, "2024-\d\d-\d\d"$/,
  },
};

/** The name of a difference; undefined where it is not known. */
export function nameOf({ case: one, acceptedBy }: Difference): string | undefined {
  const [name] =
    Object.entries({ ...DIFFERENCES, ...MORE_DIFFERENCES }).find(
      ([, kind]) =>
        kind.acceptedBy === acceptedBy && (kind.class ?? one.class) === one.class && kind.label.test(one.label),
    ) ?? [];
  return name;
}

export function describeDifference({ case: one, acceptedBy }: Difference): string {
  return `accepted by the ${acceptedBy} alone: ${titleOf(one)}`;
}

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

  const differences = await Array.fromAsync(
    mapInOrder(suite.cases, AT_ONCE, async (one): Promise<Difference[]> => {
      const asked = isUnfinished(one) ? { ...validator, base: impatient.base } : validator;
      const isAccepted = (await statusOf({ ...asked, situations: {} }, one)) < 300;
      const status = await statusOf(target, one);
      // What it cannot do, it has not refused.
      const isAcceptedByKit = status < 300 || status >= 500;
      return isAccepted === isAcceptedByKit ? [] : [{ case: one, acceptedBy: isAccepted ? 'validator' : 'kit' }];
    }),
  );
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
