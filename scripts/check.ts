// Lists the proofs of this repository, or runs one.
import { spawnSync } from 'node:child_process';
import { CHECKS } from './checks';
import { recordProof } from './record-proof';

const RECORD = '--record';
const [name, ...given] = process.argv.slice(2);
const args = given.filter((arg) => arg !== RECORD);
const check = name === undefined ? undefined : CHECKS[name];
if (name !== undefined && check && args.length < given.length) {
  recordProof(name, args).then(
    (status) => {
      process.exitCode = status;
    },
    (error: unknown) => {
      console.error((error as Error).message);
      process.exitCode = 2;
    },
  );
} else if (check) {
  const { status } = spawnSync('sh', ['-c', `${check.command} "$@"`, 'sh', ...args], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} else if (name === undefined) {
  const rows = Object.entries(CHECKS).map(([own, { takes, what }]) => `${own.padEnd(20)}${takes.padEnd(14)}${what}`);
  const record = `With ${RECORD}, a proof whose result docs/proofs.md has writes it there.`;
  console.log(['npm run check -- NAME ...', '', ...rows, '', record].join('\n'));
} else {
  // What was a script of package.json, such as conformance:teeth, had its place in its name.
  const now = name.replace(/^(conformance|test|unit):|:check$/g, '').replace('teeth', 'sensitivity');
  console.error(
    now in CHECKS ? `${name} is: npm run check -- ${now}` : `${name} is not a check: npm run check lists them`,
  );
  process.exitCode = 2;
}
