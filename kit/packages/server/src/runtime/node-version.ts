// Imported first by main.ts and by commands, before anything that an old Node cannot load.
const MINIMUM = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `This program needs Node ${String(MINIMUM)} or newer, but this is Node ${process.versions.node}. npm scripts, such as "npm start", use the Node of the project; with pnpm, only if "onlyBuiltDependencies" has "node".`,
  );
  process.exit(1);
}
