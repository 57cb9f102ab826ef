'use strict';
const { existsSync, globSync, readFileSync, statSync } = require('node:fs');
const { dirname, join, matchesGlob, normalize } = require('node:path');

const IMPORT = /(?:from |import\(|require\()'(\.[^']*|@contract-kit\/[^']*)'/g;
/** The sources that are mutated at once: what serves, and what a developer runs. */
const HALVES = {
  service: ['src/**/*.ts', 'packages/{contract,server,store}/src/**/*.ts'],
  tools: ['packages/conformance/src/**/*.ts', 'packages/tools/src/**/*.ts'],
};
// Tests of the scripts see what is made with src/, and the suite that follows from the contract takes longer than all
// others. One test reads the text of src/, which is not what it was, one is about express-openapi-validator alone, and
// others are about npm packages and the code of pages.
const LEFT_OUT =
  /^(?:scripts\/|tests\/(?:conformance[.]|docs\/|admin\/dashboard))|eov\/behaviour|\/packed\.slow|^packages\/(?:tools|conformance)\/tests\//;
// A test that loads no file of src/ and starts no process of it sees only its text.
const LOADS = /^(?:packages\/(?:contract|server|store)\/)?src\//;
const STARTS = /\bdist\//;
// What makes a test slow, the slowest last.
const HELPERS = ['serve-text', 'start-things', 'start-app', 'start-process', 'start-postgres'];

// It packs what is changed here.
const PACKED = /\/packed\.slow/;
const isSlow = (file) => Number(/[.](?:slow|long)[.]/.test(file));

/**
 * @param list patterns of Stryker's --mutate between commas, of which those with a ! leave out, and others may end with lines
 * @returns what they choose of the sources of this half, in the form that --mutate has; it may be nothing
 */
function chooseSources(half, list) {
  // A comma in braces is part of a pattern.
  const patterns = list.split(/,(?![^{]*\})/);
  const [without, chosen] = [true, false].map((isLeftOut) =>
    patterns.filter((one) => one.startsWith('!') === isLeftOut),
  );
  const files = globSync(HALVES[half], { exclude: without.map((one) => one.slice(1)) });
  return chosen.flatMap((pattern) => {
    const [, glob, lines] = /^(.*?)((?::\d[\d:-]*)?)$/.exec(pattern);
    return files.filter((file) => matchesGlob(file, glob)).map((file) => `${file}${lines}`);
  });
}

/** @returns the tests that a mutant of this half can fail, the quickest first, as paths */
function chooseTests(half) {
  if (half === 'tools')
    return globSync('packages/{conformance,tools}/tests/*.test.ts')
      .filter((file) => !PACKED.test(file))
      .sort((one, other) => isSlow(one) - isSlow(other) || (one < other ? -1 : 1));
  const files = globSync('{tests,packages/*/tests}/**/*.test.ts', {
    exclude: ['**/node_modules'],
  }).map((file) => file.replaceAll('\\', '/'));
  return files
    .map((file) => ({ file, reached: [...reach(file)] }))
    .filter(({ reached }) => reached.some((one) => LOADS.test(one) || STARTS.test(read(one))))
    .filter(({ reached }) => !reached.some((one) => LEFT_OUT.test(one)))
    .sort((one, other) => (one.file < other.file ? -1 : 1))
    .sort((one, other) => costOf(one) - costOf(other))
    .map(({ file }) => file);
}

function costOf({ file }) {
  return HELPERS.findLastIndex((helper) => read(file).includes(helper));
}

/** A file and all that it imports, directly or not. */
function reach(file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  for (const [, name] of read(file).matchAll(IMPORT)) {
    const place = name.startsWith('.') ? normalize(join(dirname(file), name)).replaceAll('\\', '/') : toFace(name);
    const found = [place, `${place}.ts`, `${place}.js`, `${place}/index.ts`].find(isFile);
    // What is not there is left to the test itself, which says so.
    if (found !== undefined) reach(found, seen);
    else seen.add(`${place}.ts`);
  }
  return seen;
}

/** The source of a public module of a package. */
function toFace(name) {
  const [, folder, module = 'index'] = name.split('/');
  return `packages/${folder}/src/${module}`;
}

/** What a source and its test are called by alike, such as `store/plant-store` or `packages/server/admin/metrics`. */
function nameOf(file) {
  return file.replace(/(^|\/)(?:src|tests)\//, '$1').replace(/(?:(?:\.(?:slow|long))?\.test)?\.ts$/, '');
}

function isFile(path) {
  return existsSync(path) && statSync(path).isFile();
}

function read(file) {
  return existsSync(file) ? readFileSync(file, 'utf8') : '';
}

module.exports = { HALVES, chooseSources, chooseTests, nameOf };
