import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { createStoreMetrics } from '@contract-kit/store';
import { createMetrics } from '../../packages/server/src/admin/metrics';
import { load } from 'js-yaml';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

type Panel = Readonly<{ title: string; gridPos: { y: number }; targets: readonly { readonly expr: string }[] }>;
interface Dashboard {
  readonly panels: readonly Panel[];
}

type Rule = Readonly<{ alert: string; expr: string; for: string; labels: { severity: string }; annotations: object }>;
interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

const { panels } = JSON.parse(readFileSync(join(SERVICE_FOLDER, 'deploy/grafana-dashboard.json'), 'utf8')) as Dashboard;
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const RULES = join(SERVICE_FOLDER, 'deploy/alert-rules.yaml');
const { groups } = load(readFileSync(RULES, 'utf8')) as Rules;
const rules = groups.flatMap((group) => group.rules);
const SUFFIX = /_(?:bucket|count|sum)$/;

async function listMetrics(): Promise<string[]> {
  const { registry } = createMetrics({ phase: undefined, checks: [] }, { version: '1', sha256: '' }, () => false);
  createStoreMetrics(registry);
  return (await registry.getMetricsAsJSON()).map(({ name }) => name);
}

test.each([
  ['the dashboard', '$job', expressions],
  ['each alert', 'plant-store', rules.map(({ expr }) => expr)],
])('%s asks for metrics that there are', async (_, job, asked) => {
  // Prometheus adds the others.
  const known = new Set([...(await listMetrics()), 'up', 'ALERTS']);
  expect(asked.length).toBeGreaterThan(8);
  for (const expression of asked) {
    const selected = expression.split(`{job="${job}"`).slice(0, -1);
    const names = selected.map((text) => String(/\w+$/.exec(text)));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name) && !known.has(name.replace(SUFFIX, '')))).toEqual([]);
  }
});

test('the dashboard shows every metric of the service’s own', async () => {
  const names = (await listMetrics()).filter((name) => !/^(?:nodejs|process)_/.test(name));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !expressions.some((expression) => expression.includes(name)))).toEqual([]);
});

test('the first row of the dashboard says whether the service is well', () => {
  const row = panels.filter(({ gridPos }) => gridPos.y === 0).map(({ title }) => title);
  expect(row).toEqual(['Ready', 'Alerts firing', 'Requests', 'Failing', 'Refusing', 'Duration', 'Contract']);
});

test.each(rules)('$alert waits, and says what to do', ({ for: wait, labels, annotations }) => {
  expect(wait).toMatch(/^\d+m$/);
  expect(labels.severity).toMatch(/^(?:critical|warning)$/);
  expect(Object.keys(annotations)).toEqual(['summary', 'description']);
});
