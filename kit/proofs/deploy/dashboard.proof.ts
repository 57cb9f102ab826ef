import { join } from 'node:path';
import { readFileSync } from 'node:fs';
import { createStoreMetrics } from '@contract-kit/store';
import { createMetrics } from '../../packages/server/src/admin/metrics';
import { load } from 'js-yaml';
import { SERVICE_FOLDER } from '@contract-kit/test-support/service-folder';

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

interface Rules {
  readonly groups: readonly { readonly rules: readonly Rule[] }[];
}

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: object;
  readonly annotations: { readonly runbook_url: string };
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
  // Prometheus adds `up`.
  const known = new Set([...(await listMetrics()), 'up']);
  expect(asked.length).toBeGreaterThan(8);
  for (const expression of asked) {
    const selected = expression.split(`{job="${job}"`).slice(0, -1);
    const names = selected.map((text) => String(/[a-z_\d]+$/.exec(text)));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name) && !known.has(name.replace(SUFFIX, '')))).toEqual([]);
  }
});

test('the dashboard shows every metric of the service’s own', async () => {
  const names = (await listMetrics()).filter((name) => !/^(?:nodejs|process)_/.test(name));
  expect(names.length).toBeGreaterThan(10);
  expect(names.filter((name) => !expressions.some((expression) => expression.includes(name)))).toEqual([]);
});

test.each(rules.map((rule) => [rule.alert, rule] as const))('%s waits, and leads to its paragraph', (alert, rule) => {
  expect(rule).toEqual({
    alert,
    expr: expect.any(String) as string,
    for: expect.stringMatching(/^\d+m$/) as string,
    labels: expect.objectContaining({ severity: expect.stringMatching(/^(?:critical|warning)$/) as string }) as object,
    annotations: { summary: expect.any(String) as string, runbook_url: expect.any(String) as string },
  });
  const [, file, anchor] = /\/plant-store\/(.*)#(.*)$/.exec(rule.annotations.runbook_url) ?? [];
  expect(anchor).toBe(alert.toLowerCase());
  expect(readFileSync(join(SERVICE_FOLDER, String(file)), 'utf8')).toContain(`\n### ${alert}\n`);
});
