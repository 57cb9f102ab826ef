// Generates from each openapi.yaml.
import { existsSync } from 'node:fs';
import { runCommand } from '@contract-kit/tools';

const FOLDERS = ['.', 'examples/nursery'].filter((folder) => existsSync(folder));

async function main(root: string): Promise<void> {
  for (const folder of FOLDERS) {
    if (folder !== '.') console.log(`${folder}:`);
    process.chdir(`${root}/${folder}`);
    process.exitCode = await runCommand(['generate', ...process.argv.slice(2)]);
    if (process.exitCode !== 0) return;
  }
}

void main(process.cwd());
