// Imported first by main.ts and by commands, before anything that an old Node cannot load.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const MINIMUM = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `This program needs Node ${String(MINIMUM)} or newer, but this is Node ${process.versions.node}. npm scripts, such as "npm start", use the Node of the project; with pnpm, only if "onlyBuiltDependencies" has "node".`,
  );
  process.exit(1);
}

// The next start reads what V8 has compiled, if this program may write to its own folder. Others may write to one for temporary
// files. With the cache, V8 counts less exactly what was covered.
if (!process.env['NODE_V8_COVERAGE']) enableCompileCache(join(__dirname, '../../.compile-cache'));
