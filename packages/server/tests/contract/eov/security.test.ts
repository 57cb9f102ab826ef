import type { SecurityScheme } from '../../../src/contract/document/document';
import { findEnough, type Alternatives } from '../../../src/contract/eov/security';

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  openId: { type: 'openIdConnect', openIdConnectUrl: 'https://example.org' },
  oauth: { type: 'oauth2', flows: {} },
} as unknown as Readonly<Record<string, SecurityScheme>>;

const NAMES = Object.keys(SCHEMES);

/** Every set of schemes. */
const SETS = Array.from({ length: 2 ** NAMES.length }, (_unused, set) =>
  NAMES.filter((_name, index) => (set & (1 << index)) !== 0),
);

test.each<[Alternatives]>([
  ...NAMES.map((name): [Alternatives] => [[[name]]]),
  [[['bearer'], ['basic']]],
  [[['bearer', 'basic']]],
  [[['header', 'query', 'cookie']]],
  [[['bearer'], ['header', 'basic']]],
  [[['header', 'basic'], ['header', 'oauth'], ['openId']]],
  [[[], ['bearer']]],
  [[['bearer', 'query'], []]],
  [[[]]],
  [[]],
])('for %j each set of schemes is enough that holds all of an alternative', async (alternatives) => {
  const isEnough = await findEnough(SCHEMES, alternatives);
  const answers = SETS.map((set) => isEnough((name) => set.includes(name)));
  const expected = SETS.map(
    (set) => alternatives.length === 0 || alternatives.some((all) => all.every((name) => set.includes(name))),
  );
  expect(answers).toEqual(expected);
});

test('a scheme that the contract does not have is never met', async () => {
  const isEnough = await findEnough(SCHEMES, [['unknown'], ['bearer']]);
  expect([isEnough((name) => name === 'unknown'), isEnough((name) => name === 'bearer')]).toEqual([false, true]);
});
