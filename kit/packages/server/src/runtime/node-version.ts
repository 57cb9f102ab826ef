// main.ts and commands import this first, before code that an old Node cannot load.
import { enableCompileCache } from 'node:module';
import { join } from 'node:path';

const MIN_NODE_VERSION = 24;

if (Number(process.versions.node.split('.')[0]) < MIN_NODE_VERSION) {
  console.error(
    `This program needs Node ${String(MIN_NODE_VERSION)} or newer, but this is Node ${process.versions.node}. npm scripts, such as "npm start", use the Node of the project; with pnpm, only if "onlyBuiltDependencies" has "node".`,
  );
  process.exit(1);
}

// The cache speeds up the next start. It is in the program's own folder, because other users can write to the folder for temporary
// files. The cache makes V8's coverage less precise, so it is off while coverage is recorded.
if (!process.env['NODE_V8_COVERAGE']) enableCompileCache(join(__dirname, '../../.compile-cache'));
