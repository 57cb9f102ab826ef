// Runs a proof of the kit with this service; without a name, it lists the proofs.
import { spawnSync } from 'node:child_process';

const { status } = spawnSync('npm', ['run', '--silent', '--prefix', 'kit', 'check', '--', ...process.argv.slice(2)], {
  env: { ...process.env, SERVICE: process.cwd() },
  stdio: 'inherit',
});
process.exitCode = status ?? 1;
