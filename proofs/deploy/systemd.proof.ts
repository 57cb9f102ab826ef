import { spawnSync } from 'node:child_process';
import { mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS, toMilliseconds } from './settings';

const text = readFileSync('deploy/plant-store.service', 'utf8');
const unit = new Map(
  [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']): [string, string] => [name, value]),
);
/** It is not there in a job of CI, which has the Node that it tries. */
const NODE = `${String(unit.get('WorkingDirectory'))}/node_modules/.bin/node`;
const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;
const describeWithSystemd = isInstalled ? describe : describe.skip;

describeWithSystemd('systemd-analyze', () => {
  test('it has nothing to say', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'systemd-'));
    const verify = (unitText: string): string => {
      const file = join(folder.path, 'plant-store.service');
      writeFileSync(file, unitText.replace(NODE, process.execPath).replaceAll('/opt/plant-store', process.cwd()));
      const { stderr } = spawnSync('systemd-analyze', ['verify', '--man=no', file], { encoding: 'utf8' });
      // Not what is wrong with other units of this machine.
      return stderr
        .split('\n')
        .filter((line) => line.includes('plant-store.service'))
        .join('\n');
    };
    expect(verify(text)).toBe('');
    expect(verify(text.replace('Restart=', 'Restarts='))).toContain('Restarts');
  });
});

test('it starts what the build makes, with the Node of the packages', () => {
  const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as {
    packages: Record<string, { bin?: object }>;
  };
  expect(packages['node_modules/node']?.bin).toEqual({ node: 'bin/node' });
  expect(unit.get('ExecStart')).toBe(`${NODE} dist/main.js`);
});

test('what it sets are settings, the files are in its folders, and requests in flight have the time to end', () => {
  const environment = new Map(
    unit
      .get('Environment')
      ?.split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
  expect([...SETTINGS, 'NODE_COMPILE_CACHE']).toEqual(expect.arrayContaining([...environment.keys()]));
  expect(environment.get('NODE_COMPILE_CACHE')).toBe(`/var/cache/${String(unit.get('CacheDirectory'))}`);
  expect(environment.get('DATABASE_URL')).toContain(`file:/var/lib/${String(unit.get('StateDirectory'))}/`);
  expect(Number(unit.get('TimeoutStopSec')) * 1000).toBeGreaterThan(toMilliseconds(undefined));
});
