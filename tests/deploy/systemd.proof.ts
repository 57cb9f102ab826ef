import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempDisposableSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SETTINGS, toMilliseconds } from './settings';

const text = readFileSync('deploy/plant-store.service', 'utf8');
const unit = new Map(
  [...text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name = '', value = '']): [string, string] => [name, value]),
);
const isInstalled = spawnSync('systemd-analyze', ['--version']).status === 0;
const describeWithSystemd = isInstalled ? describe : describe.skip;

describeWithSystemd('systemd-analyze', () => {
  test('it has nothing to say', () => {
    using folder = mkdtempDisposableSync(join(tmpdir(), 'systemd-'));
    const verify = (unitText: string): string => {
      const file = join(folder.path, 'plant-store.service');
      writeFileSync(file, unitText.replaceAll('/opt/plant-store', process.cwd()));
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
  const folder = `${String(unit.get('WorkingDirectory'))}/`;
  const [program = '', main] = unit.get('ExecStart')?.split(' ') ?? [];
  expect(program.startsWith(folder)).toBe(true);
  expect([existsSync(program.slice(folder.length)), main]).toEqual([true, 'dist/main.js']);
});

test('what it sets are settings, the file is in its folder, and requests in flight have the time to end', () => {
  const environment = new Map(
    unit
      .get('Environment')
      ?.split(' ')
      .map((pair) => pair.split('=') as [string, string]),
  );
  expect(SETTINGS).toEqual(expect.arrayContaining([...environment.keys()]));
  expect(environment.get('DATABASE_URL')).toContain(`file:/var/lib/${String(unit.get('StateDirectory'))}/`);
  expect(Number(unit.get('TimeoutStopSec')) * 1000).toBeGreaterThan(toMilliseconds(undefined));
});
