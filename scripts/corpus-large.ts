// Measures what a very large contract takes.
import { resolve } from 'node:path';
import { measureLarge } from '../tests/corpus/measure-large';

const CONTRACT = resolve('tests/corpus/node_modules/@octokit/openapi/generated/api.github.com.json');
const PATH = '/meta';

/** Prints what GitHub's whole contract takes: to be generated from, to compile, to start, and to answer. */
async function main(): Promise<void> {
  const figures = await measureLarge(CONTRACT, PATH);
  const { operations, megabytes, ...times } = figures;
  console.log(`${String(operations)} operations, ${megabytes.toFixed(0)} MB resident`);
  for (const [what, milliseconds] of Object.entries(times)) console.log(`${what}: ${milliseconds.toFixed(0)} ms`);
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
