import { existsSync, readFileSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { IPodTemplateSpec } from 'kubernetes-models/v1/PodTemplateSpec';
import { Client } from 'pg';
import { parse, parseAllDocuments } from 'yaml';
import { makeProject, runNode } from '../../packages/tools/tests/make-project';
import { plantSchema } from '../../src/store/plant-schema';
import { query, usePostgres } from '../../tests/support/start-postgres';
import { findStage, readDockerfile } from './read-dockerfile';
import { TOKEN } from './load-service';
import { joinImage, tryContainer, type Deployment } from './start-container';

const TOKENS = { tokens: TOKEN };
const PASSWORD = 'letters1and2digits';
const image = findStage(readDockerfile());
const postgres = usePostgres();

describe('deploy/kubernetes.yaml', () => {
  const text = readFileSync('deploy/kubernetes.yaml', 'utf8');
  const documents = parseAllDocuments(text).map((one) => one.toJS() as { spec: { template?: IPodTemplateSpec } });
  const pods = documents.flatMap(({ spec }) => spec.template?.spec ?? []);
  const containers = pods.flatMap((pod) =>
    [...(pod.initContainers ?? []), ...pod.containers].map((one) => ({ pod, one, name: one.name })),
  );

  test.each(containers)('$name starts with the image and its Secret, and its probes wait', async ({ pod, one }) => {
    const [, secret = '', url = '', file = ''] =
      /create secret generic (\S+) --from-literal=(\S+)=postgres:\S+ --from-file=(\S+)/.exec(text) ?? [];
    const { query: ask, url: database } = await postgres.createDatabase();
    const sources = { [secret]: { [url]: database, [file]: TOKEN } };
    const filesByVolume = new Map(
      pod.volumes?.map(({ name, secret: source, emptyDir }) => [
        name,
        emptyDir ? {} : sources[known(source?.secretName)],
      ]),
    );
    const deployment = {
      env: toRecord(one.env?.map(({ name, value }) => [name, known(value)])),
      folders: toRecord(one.volumeMounts?.map(({ name, mountPath }) => [mountPath, known(filesByVolume.get(name))])),
      entrypoint: one.command,
      args: one.args,
    };
    const paths = [one.startupProbe, one.livenessProbe, one.readinessProbe].map((probe) => known(probe?.httpGet?.path));
    const migration = await holdMigrations(database);
    const count = await tryContainer(joinImage(image, deployment), {
      async whileStarting(askAdmin) {
        // A migration may take an hour: neither probe that restarts the container may fail.
        expect(await Promise.all(paths.map(askAdmin))).toEqual([200, 200, 503]);
        await migration.end();
      },
      async whileServing(askAdmin) {
        expect(await Promise.all(paths.map(askAdmin))).toEqual([200, 200, 200]);
      },
    });
    expect(await ask('SELECT count(*)::int FROM plants')).toEqual([{ count }]);
  });
});

/** Keeps every service from making its tables, until the connection ends. */
async function holdMigrations(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  await client.query(`SELECT pg_advisory_lock(${String(plantSchema.id)})`);
  return client;
}

interface ComposeService {
  readonly environment: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly command?: readonly string[];
}

test('deploy/compose.yaml starts with the image and the database that it has beside it', async () => {
  const variables: Record<string, string> = { POSTGRES_PASSWORD: PASSWORD, SECRETS_FOLDER: './secrets' };
  const text = readFileSync('deploy/compose.yaml', 'utf8').replaceAll(/\$\{(\w+):\?[^}]*\}/g, (_, name: string) =>
    known(variables[name]),
  );
  const { services } = parse(text) as { readonly services: Readonly<Record<string, ComposeService>> };
  const { environment, volumes = [], tmpfs = [], ...service } = known(services['plant-store']);
  const {
    POSTGRES_USER: user,
    POSTGRES_DB: name,
    POSTGRES_PASSWORD: password,
  } = known(services['database']).environment;
  await postgres.query(`CREATE ROLE ${known(user)} LOGIN PASSWORD '${known(password)}'`);
  await postgres.query(`CREATE DATABASE ${known(name)} OWNER ${known(user)}`);
  // What the name of the other container is for those in its network.
  const host = `127.0.0.1:${String(postgres.port)}`;
  const env = Object.entries(environment).map(([key, value]) => [key, value.replace('@database:5432/', `@${host}/`)]);
  const folders = [...volumes.map(toMount), ...tmpfs.map((entry) => [known(entry.split(':')[0]), {}] as const)];
  const count = await tryContainer(
    joinImage(image, {
      env: toRecord(env as [string, string][]),
      folders: toRecord(folders),
      entrypoint: service.entrypoint,
      args: service.command,
    }),
  );
  const rows = await query(new URL(known(name), postgres.url).href, 'SELECT count(*)::int FROM plants');
  expect(rows).toEqual([{ count }]);
});

test('the image starts by the command of docs/operating.md, and keeps its plants in the volume', async () => {
  const { deployment, volumes } = readDockerRun(readFileSync('docs/operating.md', 'utf8'));
  expect(volumes).toContain('plants:/data');
  await tryContainer(joinImage(image, deployment), {
    whileServing: (_, root) => {
      expect(existsSync(`${root}/data/plants.db`)).toBe(true);
    },
  });
});

test('an image that is told of two databases says so and does not start', async () => {
  const env = { DATABASE_URL: 'file:/data/plants.db', DATABASE_URL_FILE: '/run/secrets/database-url' };
  const folders = { '/run/secrets': { ...TOKENS, 'database-url': 'file:/data/other.db' } };
  const deployment = { env: { ...env, API_TOKENS_FILE: '/run/secrets/tokens' }, folders };
  const both = 'DATABASE_URL and DATABASE_URL_FILE must not be set together';
  await expect(tryContainer(joinImage(image, deployment))).rejects.toThrow(both);
});

test('deploy/plant-store.service starts what is in its folder, and keeps its plants in its state', async () => {
  const text = readFileSync('deploy/plant-store.service', 'utf8');
  const unit = new Map([...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, known(value)]));
  const env = toRecord(
    known(unit.get('Environment'))
      .split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
  const home = known(unit.get('WorkingDirectory'));
  const tokens = known(env['API_TOKENS_FILE']);
  const state = `/var/lib/${known(unit.get('StateDirectory'))}`;
  const folders = { [state]: {}, [dirname(tokens)]: { [basename(tokens)]: TOKEN } };
  const [, ...args] = known(unit.get('ExecStart')).split(' ');
  await tryContainer(
    { home, cwd: home, command: ['node', ...args], env, folders },
    {
      whileServing: (_, root) => {
        expect(existsSync(`${root}${state}/plants.db`)).toBe(true);
      },
    },
  );
});

test.each([
  ['without a store', false],
  ['with a store, or with a PostgreSQL whose URL is a secret', true],
])('the image of a new project starts by the command of its README, %s', async (_, hasStore) => {
  using project = await makeProject(undefined, { isModule: false, hasStore });
  const { folder } = project;
  expect(runNode(folder, resolve('node_modules/typescript/bin/tsc'), '-p', 'src')).toEqual({ status: 0, output: '' });
  const { deployment, volumes } = readDockerRun(readFileSync(`${folder}/README.md`, 'utf8'));
  expect(volumes.some((volume) => volume.endsWith(':/data'))).toBe(hasStore);
  const stage = findStage(readDockerfile(`${folder}/Dockerfile`));
  const whileServing = (_: unknown, root: string): void => {
    expect(existsSync(`${root}/data/store.db`)).toBe(hasStore);
  };
  await tryContainer(joinImage(stage, deployment), { project: folder, whileServing });
  if (!hasStore) return;
  const { url } = await postgres.createDatabase();
  const env = { ...deployment.env, DATABASE_URL_FILE: '/run/database/url' };
  const folders = { ...deployment.folders, '/run/database': { url } };
  await tryContainer(joinImage(stage, { ...deployment, env, folders }), {
    project: folder,
    whileServing: (_, root) => {
      expect(existsSync(`${root}/data/store.db`)).toBe(false);
    },
  });
});

/** What the command `docker run` of a page says. An option that is not known here is an error. */
function readDockerRun(page: string): { deployment: Deployment; volumes: readonly string[] } {
  const [line] = /(?<=^|&& )docker run .*$/m.exec(page) ?? [];
  const { values, positionals } = parseArgs({
    args: known(line).replaceAll('...', TOKEN).split(' ').slice(2),
    allowPositionals: true,
    options: {
      ...{ init: { type: 'boolean' }, 'read-only': { type: 'boolean' } },
      ...{ 'log-driver': { type: 'string' }, 'stop-timeout': { type: 'string' }, publish: { type: 'string' } },
      env: { type: 'string', multiple: true },
      volume: { type: 'string', multiple: true },
    },
  });
  const { env = [], volume: volumes = [] } = values;
  const [, ...args] = positionals;
  return {
    volumes,
    deployment: {
      env: toRecord(env.map((pair) => pair.split('=') as [string, string])),
      folders: toRecord(volumes.map(toMount)),
      args: args.length > 0 ? args : undefined,
    },
  };
}

/** Where a folder is mounted. That of this machine has the tokens, and a volume is empty at first. */
function toMount(volume: string): [string, Record<string, string>] {
  const [source, target] = volume.split(':');
  return [known(target), source === './secrets' ? TOKENS : {}];
}

function toRecord<Value>(entries: readonly (readonly [string, Value])[] = []): Record<string, Value> {
  return Object.fromEntries(entries);
}

/** @throws Error when it is not there, such as a source of a variable that this proof does not know */
function known<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new Error('a file of deploy/ has what this proof does not know');
  return value;
}
