import { readFileSync } from 'node:fs';
import { createStoreMetrics } from '@contract-kit/store';
import { createMetrics } from '../../packages/server/src/admin/metrics';

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const { panels } = JSON.parse(readFileSync('deploy/grafana-dashboard.json', 'utf8')) as Dashboard;
const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
const SUFFIX = /_(?:bucket|count|sum)$/;

test('the dashboard asks for metrics that there are', async () => {
  const { registry } = createMetrics({ phase: undefined, checks: [] });
  createStoreMetrics(registry);
  const known = new Set((await registry.getMetricsAsJSON()).map(({ name }) => name));
  expect(expressions.length).toBeGreaterThan(8);
  for (const expression of expressions) {
    const names = [...expression.matchAll(/([a-z_\d]+)\{job="\$job"/g)].map(([, name]) => String(name));
    expect(names.length).toBeGreaterThan(0);
    expect(names.filter((name) => !known.has(name) && !known.has(name.replace(SUFFIX, '')))).toEqual([]);
  }
});

test('it shows every metric of the service’s own', () => {
  const source = ['packages/server/src/admin/metrics.ts', 'packages/store/src/store-metrics.ts']
    .map((file) => readFileSync(file, 'utf8'))
    .join();
  const names = [...source.matchAll(/name: '([a-z_]+)'/g)].map(([, name]) => String(name));
  expect(names.length).toBeGreaterThan(5);
  expect(names.filter((name) => !expressions.some((expression) => expression.includes(name)))).toEqual([]);
});
