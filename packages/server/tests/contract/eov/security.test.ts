import { globSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import type { SecurityScheme } from '../../../src/contract/document/document';
import { createIsEnough, type Alternatives } from '../../../src/contract/eov/security';

type Schemes = Readonly<Record<string, SecurityScheme>>;

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  openId: { type: 'openIdConnect', openIdConnectUrl: 'https://example.org' },
  oauth: { type: 'oauth2', flows: {} },
} as unknown as Schemes;

const NAMES = Object.keys(SCHEMES);

/** Every set of some schemes. */
function toSets(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length }, (_unused, set) =>
    names.filter((_name, index) => (set & (1 << index)) !== 0),
  );
}

/** The answers of express-openapi-validator for each of the sets, the first time and as they are remembered. */
async function ask(schemes: Schemes, alternatives: Alternatives, sets: readonly string[][]): Promise<boolean[]> {
  const isEnough = createIsEnough(schemes, alternatives);
  const first = await Promise.all(sets.map(async (set) => isEnough((name) => set.includes(name))));
  expect(sets.map((set) => isEnough((name) => set.includes(name)))).toEqual(first);
  return first;
}

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
  const sets = toSets(NAMES);
  const expected = sets.map(
    (set) => alternatives.length === 0 || alternatives.some((all) => all.every((name) => set.includes(name))),
  );
  await expect(ask(SCHEMES, alternatives, sets)).resolves.toEqual(expected);
});

test('a scheme that the contract does not have is never met', async () => {
  const answers = ask(SCHEMES, [['unknown'], ['bearer']], [['unknown'], ['bearer']]);
  await expect(answers).resolves.toEqual([false, true]);
});

/** The schemes of each contract of the repository, and each different security of it and of its operations. */
const CONTRACTS = globSync(['openapi.yaml', 'contracts/*.yaml', 'examples/*/openapi.yaml', 'tests/fixtures/**/*.yaml'])
  .map((file) => [file, load(readFileSync(file, 'utf8')) as Document] as const)
  .flatMap(([file, { security, components = {}, paths = {} }]) => {
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const written = [security, ...operations.map((operation) => operation.security)].filter((one) => one !== undefined);
    const different = new Set(written.map((one) => JSON.stringify(one.map((needed) => Object.keys(needed)))));
    const schemes: Schemes = components.securitySchemes ?? {};
    return [...different].map((text) => [file, text, schemes, JSON.parse(text) as string[][]] as const);
  });

interface Document {
  readonly security?: readonly object[];
  readonly components?: { readonly securitySchemes?: Schemes };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>>;
}

test('the contracts of the repository use more than ten securities', () => {
  expect(new Set(CONTRACTS.map(([, security]) => security)).size).toBeGreaterThan(10);
});

test.each(CONTRACTS)(
  '%s: for %s each set of schemes is enough that holds all of an alternative',
  async (_, __, schemes, alternatives) => {
    const sets = toSets(Object.keys(schemes));
    const expected = sets.map(
      (met) => alternatives.length === 0 || alternatives.some((needed) => needed.every((name) => met.includes(name))),
    );
    await expect(ask(schemes, alternatives, sets)).resolves.toEqual(expected);
  },
);

describe('of 40 schemes', () => {
  const names = Array.from({ length: 40 }, (_unused, index) => `key${String(index)}`);
  const key = { type: 'apiKey', in: 'header', name: 'Key' } as const;

  /** Counts how often express-openapi-validator looks for the only scheme of an alternative. */
  function count(): { readonly isEnough: ReturnType<typeof createIsEnough>; readonly questions: () => number } {
    let questions = 0;
    const schemes = new Proxy<Record<string, SecurityScheme>>(Object.fromEntries(names.map((name) => [name, key])), {
      get(target, name) {
        if (name === 'key0') questions += 1;
        return Reflect.get(target, name) as unknown;
      },
    });
    const alternatives = names.map((name) => [name]);
    return { isEnough: createIsEnough(schemes, alternatives), questions: () => questions };
  }

  test('nothing is asked at the start, and a set once', async () => {
    const { isEnough, questions } = count();
    expect(questions()).toBe(0);
    for (const name of [...names, ...names]) await isEnough((one) => one === name);
    expect(questions()).toBe(40);
    expect(isEnough((one) => one === 'key39')).toBe(true);
  });

  test('1,000 sets are remembered, and others asked for again', async () => {
    const { isEnough, questions } = count();
    const sets = toSets(names.slice(20, 30));
    for (const set of sets) await expect(isEnough((name) => set.includes(name))).resolves.toBe(set.length > 0);
    const unknown = sets.filter((set) => typeof isEnough((name) => set.includes(name)) !== 'boolean');
    expect([sets.length, unknown.length, questions()]).toEqual([1024, 24, 1048]);
  });
});
