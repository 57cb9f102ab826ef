// main.ts and commands import this first, before anything that an old Node cannot load.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const MINIMUM = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `This program needs Node ${String(MINIMUM)} or newer, but this is Node ${process.versions.node}. npm scripts, such as "npm start", use the Node of the project; with pnpm, only if "onlyBuiltDependencies" has "node".`,
  );
  process.exit(1);
}

// The next start reads what V8 has compiled, if this program can write to its own folder. A folder for temporary files would not be
// safe, since other users can write to it. With the cache, V8 measures coverage less exactly.
if (!process.env['NODE_V8_COVERAGE']) enableCompileCache(join(__dirname, '../../.compile-cache'));
