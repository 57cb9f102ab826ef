// Imported first by main.ts and by commands, before anything that an old Node cannot load.
const MINIMUM = 24;

if (Number(process.versions.node.split('.')[0]) < MINIMUM) {
  console.error(
    `This needs Node ${String(MINIMUM)} or newer, this is ${process.versions.node}: npm scripts, such as "npm start", bring their own`,
  );
  process.exit(1);
}
