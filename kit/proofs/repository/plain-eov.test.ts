import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSuite, titleOf, type Case } from '@contract-kit/conformance';
import { createPlainApp } from '../../examples/plain-eov';
import { sendCase } from '../../packages/conformance/src/exchange/exchange';
import { mapInOrder } from '../../packages/conformance/src/exchange/pool';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { SECRETS, startApp, TOKEN } from '@contract-kit/test-support/start-app';

/** Where the plant store and the example answer differently: both statuses, the cases, and why. */
const DIFFERENCES: readonly (readonly [service: number, example: number, label: RegExp, why: string])[] = [
  [400, 415, /./, 'openapi.yaml declares 400 for another media type, another coding, and a missing body'],
  [401, 404, /^a letter encoded/, 'RFC 3986, 6.2.2.2: the path is the same, so it asks for credentials'],
  [204, 404, /^OPTIONS \*/, 'RFC 9110, 9.3.7: OPTIONS * asks about the server'],
  [404, 200, /^(?:a slash at the end|upper case)$/, 'Express takes paths in any case, and with a slash at the end'],
  [400, 200, /^type integer, 1\.0+1$/, 'the validator checks an id as a double'],
  [400, 200, /^the type \S+; (?:charset|=1)$/, 'Express forgives it'],
  [400, 200, /^the coding gzip$/, 'Express decompresses a body'],
];
const AT_ONCE = 16;
const CONTRACT = 'packages/test-support/plants/openapi.yaml';

interface Answers {
  readonly case: Case;
  readonly service: number;
  readonly example: number;
}

async function statusOf(base: URL, one: Case): Promise<number> {
  const text = (await sendCase({ base, secrets: SECRETS, timeout: 10_000 }, one)).toString('latin1');
  return Number(/(?:^|\r\n\r\n)HTTP\/1\.1 ([2-5]\d\d) /.exec(text)?.[1]);
}

test('the plant store and examples/plain-eov.ts answer each case alike, but for the differences that are listed', async () => {
  const options = { marker: 'a', level: 'robust' } as const;
  const suite = createSuite(readFileSync(CONTRACT, 'utf8'), options);
  // Neither answers an unfinished request before its timeout.
  const isQuick = ({ situation }: Case): boolean => situation === undefined;
  await using service = await startApp();
  await using example = await listenOnLoopback(createServer(createPlainApp(TOKEN, CONTRACT)));
  const answers = await Array.fromAsync(
    mapInOrder(suite.cases.filter(isQuick), AT_ONCE, async (one): Promise<Answers> => {
      const [byService, byExample] = [await statusOf(service.base, one), await statusOf(example.base, one)];
      return { case: one, service: byService, example: byExample };
    }),
  );

  expect(answers.length).toBeGreaterThan(200);
  const found = answers.filter((one) => one.service !== one.example);
  const findReason = (one: Answers) =>
    DIFFERENCES.find(
      ([inService, inExample, label]) =>
        inService === one.service && inExample === one.example && label.test(one.case.label),
    );
  const unknown = found.filter((one) => findReason(one) === undefined);
  expect(unknown.map((one) => `${String(one.service)}, not ${String(one.example)}: ${titleOf(one.case)}`)).toEqual([]);
  expect(new Set(found.map(findReason))).toEqual(new Set(DIFFERENCES));
});
