// Generates from each openapi.yaml.
import { runCommand } from '@contract-kit/tools';

const FOLDERS = ['packages/test-support/plants', 'examples/nursery'];

async function main(root: string): Promise<void> {
  for (const folder of FOLDERS) {
    console.log(`${folder}:`);
    process.chdir(`${root}/${folder}`);
    process.exitCode = await runCommand(['generate', ...process.argv.slice(2)]);
    if (process.exitCode !== 0) return;
  }
}

void main(process.cwd());
