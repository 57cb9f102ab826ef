import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSuite, titleOf, type Case } from '@contract-kit/conformance';
import { createPlainApp } from '../../examples/plain-eov';
import { sendCase } from '../../packages/conformance/src/exchange/exchange';
import { mapInOrder } from '../../packages/conformance/src/exchange/pool';
import { listenOnLoopback } from '../../tests/support/listen-on-loopback';
import { SECRETS, startApp, TOKEN } from '../../tests/support/start-app';

interface Kind {
  /** Which of them accepts it. */
  readonly acceptedBy: 'validator' | 'kit';
  readonly class?: Case['class'];
  readonly label: RegExp;
}

/**
 * What express-openapi-validator, or Express and node:http round it, are known to do otherwise. What is its own has the
 * same name in packages/server/src/validate/eov/README.md.
 */
const DIFFERENCES: Readonly<Record<string, Kind>> = {
  'an int64 is not checked': {
    acceptedBy: 'validator',
    label: /\bint64 (?:minimum-1|maximum\+1)$|far beyond, |type integer, (?:9223372036854775807\.5|1\.0+1)$/,
  },
  'bytes that are not UTF-8 become U+FFFD': {
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
  'two Host or Authorization headers are accepted': {
    acceptedBy: 'validator',
    label: /^(?:two Hosts \(.*\)|the Host twice|the header twice|the right header and a wrong one)(?:, with |$)/,
  },
  'a malformed Host and a request line without a version pass': {
    acceptedBy: 'validator',
    class: 'malformed',
    label: /^(?:a malformed Host \(.*\)|no version)$/,
  },
  'chunks of HTTP/1.0 are read': { acceptedBy: 'validator', class: 'malformed', label: /^chunks of HTTP\/1\.0 / },
  'a Content-Type that is malformed, of another charset or there twice passes': {
    acceptedBy: 'validator',
    class: 'media-type',
    label: /^the type \S+; (?:charset|=1|charset=.*)$|^the Content-Type twice$|^two Content-Types$/,
  },
  'a compressed body is decompressed': { acceptedBy: 'validator', class: 'media-type', label: /^the coding gzip$/ },
  'a path passes in another case and with a slash at its end': {
    acceptedBy: 'validator',
    class: 'path',
    // A parameter of one sign less leaves a slash.
    label: /^(?:a slash at the end|one character less|upper case)$/,
  },
  'a query parameter behind 1,000 others is not seen': {
    acceptedBy: 'validator',
    class: 'parameter',
    label: / after 1,100 ampersands$/,
  },
  'a path with an encoded letter is 404': { acceptedBy: 'kit', class: 'path', label: /^a letter encoded/ },
  'a target in absolute form gets 404': {
    acceptedBy: 'kit',
    class: 'path',
    label: /^behind the same target in absolute form/,
  },
};

/** Why the statuses of the service and of the example differ, beside DIFFERENCES. */
const STATUSES: Readonly<Record<string, string>> = {
  '200 401': 'a scheme counts in any case (RFC 9110 section 11.1); the handler of the example compares letters',
  '204 404': 'OPTIONS * is about the server (RFC 9110 section 9.3.7)',
  '400 404': 'a target without a host is malformed',
  '400 413': 'openapi.yaml declares 400 for a body that is too large',
  '400 415': 'openapi.yaml declares 400 for another media type, and for no body',
  '400 417': 'openapi.yaml declares 400 for an Expect that cannot be met',
  '400 431': 'openapi.yaml declares 400 for headers that are too large',
  '401 400': 'credentials are checked before a body is read',
  '401 404': 'a path with an encoded letter is the same path, so that it asks for credentials',
};
const AT_ONCE = 16;

interface Answers {
  readonly case: Case;
  readonly service: number;
  readonly example: number;
}

/** Why the answers differ; undefined where it is not known. */
function reasonOf({ case: one, service, example }: Answers): string | undefined {
  const statuses = `${String(service)} ${String(example)}`;
  if (statuses in STATUSES) return statuses;
  const by = service < 300 ? 'kit' : 'validator';
  const isReason = ({ acceptedBy, class: name = one.class, label }: Kind): boolean =>
    acceptedBy === by && name === one.class && label.test(one.label);
  return Object.entries(DIFFERENCES).find(([, kind]) => isReason(kind))?.[0];
}

async function statusOf(base: URL, one: Case): Promise<number> {
  const text = (await sendCase({ base, secrets: SECRETS, timeout: 10_000 }, one)).toString('latin1');
  return Number(/(?:^|\r\n\r\n)HTTP\/1\.1 ([2-5]\d\d) /.exec(text)?.[1]);
}

test('the plant store and examples/plain-eov.ts answer each case alike, but for the differences that are listed', async () => {
  const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), {
    bodyLimit: 1024 ** 2,
    marker: 'a',
    level: 'strict',
  });
  // Neither answers an unfinished request before its timeout.
  const isQuick = ({ class: kind, request, situation }: Case): boolean =>
    situation === undefined && (kind !== 'size' || request.body !== undefined);
  await using service = await startApp();
  await using example = await listenOnLoopback(createServer(createPlainApp(TOKEN)));
  // The example has one operation: what openapi.yaml has beside it is the service's alone.
  const isGrown = suite.model.operations.length > 1;
  const isOfBoth = (one: Case): boolean => one.operation === 'createPlant' && !(isGrown && one.class === 'method');
  const cases = suite.cases.filter((one) => isQuick(one) && isOfBoth(one));
  const answers = await Array.fromAsync(
    mapInOrder(cases, AT_ONCE, async (one): Promise<Answers> => {
      const [byService, byExample] = [await statusOf(service.base, one), await statusOf(example.base, one)];
      return { case: one, service: byService, example: byExample };
    }),
  );

  expect(answers.length).toBeGreaterThan(300);
  const different = answers.filter((one) => one.service !== one.example);
  const unknown = different.filter((one) => reasonOf(one) === undefined);
  expect(unknown.map((one) => `${String(one.service)}, not ${String(one.example)}: ${titleOf(one.case)}`)).toEqual([]);
  const reasons = new Set(different.map(reasonOf));
  const known = [...Object.keys(STATUSES), ...Object.keys(DIFFERENCES)];
  expect(known.filter((reason) => !isGrown && !reasons.has(reason))).toEqual([]);
});
