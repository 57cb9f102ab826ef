import { readFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { findStage, findTexts, readDockerfile, readEnv } from './read-dockerfile';
import { askAdminPort } from './admin-port';
import { SETTINGS, toMilliseconds } from './settings';
import type { PodMonitor } from '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor';
import type { Deployment } from 'kubernetes-models/apps/v1/Deployment';
import type { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy';
import type { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget';
import type { Service } from 'kubernetes-models/v1/Service';
import { resolve } from 'node:path';
import ts from 'typescript';

interface Model {
  validate(): void;
}

const FILE = 'deploy/kubernetes.yaml';
const KINDS: Readonly<Record<string, string>> = {
  Deployment: 'kubernetes-models/apps/v1/Deployment',
  Service: 'kubernetes-models/v1/Service',
  PodDisruptionBudget: 'kubernetes-models/policy/v1/PodDisruptionBudget',
  NetworkPolicy: 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy',
  PodMonitor: '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor',
};

const text = readFileSync(FILE, 'utf8');
const parts = [...text.split('\n---\n'), readFileSync('deploy/pod-monitor.yaml', 'utf8')];
const documents = parts.map((part) => parse(part) as { apiVersion: string; kind: string });
const [deployment, service, budget, policy, monitor] = documents as unknown as [
  Deployment,
  Service,
  PodDisruptionBudget,
  NetworkPolicy,
  PodMonitor,
];
const pod = deployment.spec?.template;
const [container] = pod?.spec?.containers ?? [];
const image = readEnv(findStage(readDockerfile()));

test('it is YAML without a warning', () => {
  for (const { errors, warnings } of parseAllDocuments(parts.join('\n---\n')))
    expect([...errors, ...warnings]).toEqual([]);
  expect(documents.map(({ kind }) => kind)).toEqual(Object.keys(KINDS));
});

test.each(documents.map((document) => [document.kind, document] as const))(
  'the %s fits the schema of Kubernetes',
  async (kind, document) => {
    const module = (await import(String(KINDS[kind]))) as Record<string, new (data: object) => Model>;
    const Kind = module[kind] as new (data: object) => Model;
    expect(new Kind({})).toMatchObject({ apiVersion: document.apiVersion, kind });
    expect(() => {
      new Kind(document).validate();
    }).not.toThrow();
    expect(() => {
      new Kind({ ...document, spec: 1 }).validate();
    }).toThrow('spec');
  },
);

// The schema lets what it does not know pass, as the API server may; the types do not.
test('it has no field that Kubernetes does not know', () => {
  const imports = Object.values(KINDS);
  expect(findTypeErrors(documents, imports)).toEqual([]);
  const misspelt = JSON.parse(JSON.stringify(documents).replace('"readinessProbe"', '"readynessProbe"')) as object[];
  expect(findTypeErrors(misspelt, imports).join()).toContain('readynessProbe');
}, 60_000);

test('the variables that the manifest sets are settings of the service', () => {
  const names = container?.env?.map(({ name }) => name) ?? [];
  expect(SETTINGS).toEqual(
    expect.arrayContaining(names.map((name) => name.replace('DATABASE_URL_FILE', 'DATABASE_URL'))),
  );
});

test('the ports are those of the image, and only that of the service is in the Service', () => {
  expect(container?.ports).toEqual([
    { name: 'http', containerPort: Number(image['PORT']) },
    { name: 'admin', containerPort: Number(image['ADMIN_PORT']) },
  ]);
  expect(service.spec?.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
});

test('the probes ask for what the admin port has; a migration or a store that is away restarts nothing', async () => {
  const { startupProbe, livenessProbe, readinessProbe } = container ?? {};
  for (const probe of [startupProbe, livenessProbe, readinessProbe]) {
    expect(probe?.httpGet?.port).toBe('admin');
    await expect(askAdminPort(String(probe?.httpGet?.path))).resolves.toBe(200);
  }
  for (const probe of [startupProbe, livenessProbe]) expect(probe?.httpGet?.path).toBe('/livez');
  expect(readinessProbe?.httpGet?.path).toBe('/readyz');
});

test('every pod may reach the service, and only those that watch the admin port', () => {
  const from = [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'monitoring' } } }];
  expect(policy.spec?.policyTypes).toEqual(['Ingress']);
  expect(policy.spec?.ingress).toEqual([{ ports: [{ port: 'http' }] }, { from, ports: [{ port: 'admin' }] }]);
});

test('requests in flight have the time to end', () => {
  const timeout = container?.env?.find(({ name }) => name === 'SHUTDOWN_TIMEOUT')?.value;
  const pause = Number(container?.lifecycle?.preStop?.sleep?.seconds) * 1000;
  const grace = Number(pod?.spec?.terminationGracePeriodSeconds) * 1000;
  expect(grace).toBeGreaterThan(pause + toMilliseconds(timeout));
});

test('everything that selects pods selects these', () => {
  const labels = pod?.metadata?.labels;
  expect(deployment.spec?.selector.matchLabels).toEqual(labels);
  expect(pod?.spec?.topologySpreadConstraints?.[0]?.labelSelector?.matchLabels).toEqual(labels);
  expect(service.spec?.selector).toEqual(labels);
  expect(budget.spec?.selector?.matchLabels).toEqual(labels);
  expect(policy.spec?.podSelector?.matchLabels).toEqual(labels);
  expect(monitor.spec.selector.matchLabels).toEqual(labels);
});

test('the metrics have the job that the alerts and the dashboard ask for', () => {
  const { jobLabel, podMetricsEndpoints } = monitor.spec;
  expect(pod?.metadata?.labels?.[String(jobLabel)]).toBe('plant-store');
  expect(podMetricsEndpoints).toEqual([{ port: 'admin' }]);
  expect(readFileSync('deploy/alert-rules.yaml', 'utf8')).toContain('{job="plant-store"');
});

test('secrets are files of one Secret, and no variable has one', () => {
  const [volume] = pod?.spec?.volumes ?? [];
  const [mount] = container?.volumeMounts ?? [];
  // The keys that the first lines put into the Secret; each is a file.
  const [, name, ...keys] = /create secret generic (\S+) --from-literal=([^=]+)=\S+ --from-file=(\S+)/.exec(text) ?? [];
  expect(volume).toMatchObject({ name: mount?.name, secret: { secretName: name } });
  const variables = new Map(container?.env?.map((variable) => [variable.name, variable.value]));
  const files = [variables.get('DATABASE_URL_FILE'), variables.get('API_TOKENS_FILE')];
  expect(files).toEqual(keys.map((key) => `${String(mount?.mountPath)}/${key}`));
  expect([...variables.keys()].sort()).toEqual(['API_TOKENS_FILE', 'DATABASE_URL_FILE', 'SHUTDOWN_TIMEOUT']);
});

test('the temporary files of large bodies have a volume of more than their limit, where the image has one', () => {
  const [, mount] = container?.volumeMounts ?? [];
  expect(findTexts(findStage(readDockerfile()), 'VOLUME')).toContain(mount?.mountPath);
  // UPLOAD_LIMIT is 4gb.
  expect(pod?.spec?.volumes?.[1]).toEqual({ name: mount?.name, emptyDir: { sizeLimit: '5Gi' } });
});

test('a disruption leaves one of the pods, which have no rights beyond the restricted ones', () => {
  expect(deployment.spec?.replicas).toBeGreaterThan(Number(budget.spec?.maxUnavailable));
  expect(pod?.spec).toMatchObject({
    automountServiceAccountToken: false,
    securityContext: { runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
  });
  expect(container?.securityContext).toEqual({
    readOnlyRootFilesystem: true,
    allowPrivilegeEscalation: false,
    capabilities: { drop: ['ALL'] },
  });
  expect(Object.keys(container?.resources ?? {})).toEqual(['requests', 'limits']);
});

test('the image has the version of the package', () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
  expect(container?.image).toMatch(new RegExp(`^[^:]+/plant-store:${version}$`));
});

const MODULE = resolve('proofs/deploy/manifest.ts');
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.Node20,
};

/** What TypeScript says to documents as literals of the types that modules export under their last name and an I. */
function findTypeErrors(documents: readonly object[], modules: readonly string[]): string[] {
  const lines = documents.flatMap((document, index) => {
    const type = `I${String(modules[index]?.split('/').at(-1))}`;
    return [
      `import type { ${type} } from '${String(modules[index])}';`,
      `export const d${String(index)}: ${type} = ${JSON.stringify(document)};`,
    ];
  });
  const host = ts.createCompilerHost(OPTIONS);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    resolve(name) === MODULE
      ? ts.createSourceFile(name, lines.join('\n'), rest[0], true)
      : getSourceFile(name, ...rest);
  const program = ts.createProgram([MODULE], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
