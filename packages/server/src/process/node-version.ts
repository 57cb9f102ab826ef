// Imported first by main.ts, before anything that an old Node cannot load.
const MINIMUM = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `This service needs Node ${String(MINIMUM)} or newer, this is ${process.versions.node}: start it with "npm start", which brings its own`,
  );
  process.exit(1);
}
