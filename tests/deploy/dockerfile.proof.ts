import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { findStage, findTexts, readContext, readDockerfile, readEnv, toCommand } from './image-check/read-dockerfile';
import { withAdminPort } from './admin-port';
import { SETTINGS } from './settings';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

const stages = readDockerfile();
const image = findStage(stages);
const env = readEnv(image);

test('the linter has nothing to say', () => {
  const text = readFileSync('deploy/Dockerfile', 'utf8');
  expect(validate(text)).toEqual([]);
  expect(validate(text.replace('WORKDIR /app', 'WORKDIR app'))).not.toEqual([]);
});

test('every stage has the Node that the packages bring', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const version = String(packages['node_modules/node']?.version);
  for (const { from } of stages) expect(from).toBe(`node:${version}-trixie-slim`);
});

test('the image has what the service runs with, and nothing that builds it', () => {
  expect(findTexts(image, 'COPY')).toEqual([
    '/app/node_modules node_modules',
    '/app/dist dist',
    'package.json openapi.yaml ./',
    'generated/contract.js generated/',
    'packages/server/package.json packages/server/',
    'packages/server/src/docs/page packages/server/src/docs/page',
    '/app/packages/server/dist packages/server/dist',
    'packages/store/package.json packages/store/',
    '/app/packages/store/dist packages/store/dist',
  ]);
  const dependencies = findStage(stages, 'dependencies');
  expect(findTexts(dependencies, 'RUN')).toEqual(['npm ci --omit=dev --ignore-scripts']);
});

test('a build sees exactly the files that it copies, and they are there', () => {
  const sources = stages.flatMap(({ steps }) =>
    steps.flatMap(({ keyword, flags, text }) =>
      keyword === 'COPY' && flags['from'] === undefined ? text.split(' ').slice(0, -1) : [],
    ),
  );
  expect(sources.filter((source) => !existsSync(source))).toEqual([]);
  expect([...new Set(sources.map((source) => source.split('/')[0]))].sort()).toEqual(readContext().sort());
});

test('it is not root, and signals reach node', () => {
  expect(findTexts(image, 'USER')).toEqual(['1000:1000']);
  expect(toCommand(findTexts(image, 'ENTRYPOINT')[0])).toEqual(['node', 'dist/main.js']);
  expect(findTexts(image, 'CMD')).toEqual([]);
  expect(findTexts(image, 'STOPSIGNAL')).toEqual([]);
});

test('what it sets are settings, the ports agree, and the file is in the volume', () => {
  expect(SETTINGS).toEqual(expect.arrayContaining(Object.keys(env)));
  expect(findTexts(image, 'EXPOSE')).toEqual([`${String(env['PORT'])} ${String(env['ADMIN_PORT'])}`]);
  expect(env['DATABASE_URL']).toMatch(new RegExp(`^file:${String(findTexts(image, 'VOLUME')[0])}/`));
});

describe('the health check', () => {
  async function check(port: number): Promise<unknown> {
    const [, ...args] = toCommand(findTexts(image, 'HEALTHCHECK')[0]);
    const child = spawn(process.execPath, args, { env: { ADMIN_PORT: String(port) }, stdio: 'ignore' });
    return (await once(child, 'exit'))[0];
  }

  test.each([
    ['ready', undefined, 0],
    ['starting', 'starting', 1],
    ['draining', 'draining', 1],
  ] as const)('of a service that is %s', async (_, phase, status) => {
    await expect(withAdminPort(check, phase)).resolves.toBe(status);
  });

  test('of one that is not there', async () => {
    const port = await withAdminPort((gone) => Promise.resolve(gone));
    await expect(check(port)).resolves.toBe(1);
  });
});
