// Runs TypeScript as ts-node does, and keeps what it compiled: most processes load the files of others again.
const { createHash } = require('node:crypto');
const { mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join, relative } = require('node:path');

const ROOT = join(__dirname, '..');
const FOLDER = join(ROOT, 'node_modules/.cache/typescript');
const project = join(ROOT, 'tsconfig.json');
const compiledBy = require('typescript/package.json').version + readFileSync(project, 'utf8');
let compiler;

process.setSourceMapsEnabled(true);
// With a cache, V8 counts the coverage of functions less exactly.
if (process.env.NODE_V8_COVERAGE === undefined) enableCompileCache(`${FOLDER}-v8`);
require.extensions['.ts'] = function load(module, file) {
  const text = readFileSync(file, 'utf8');
  const key = createHash('sha256')
    .update([compiledBy, relative(ROOT, file), text].join('\0'))
    .digest('hex');
  module._compile(readText(join(FOLDER, key)) ?? compile(text, file, key), file);
};

function readText(file) {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function compile(text, file, key) {
  compiler ??= require('ts-node').create({ project, transpileOnly: true });
  const compiled = compiler.compile(text, file);
  mkdirSync(FOLDER, { recursive: true });
  // Under another name first: no process reads a half of it.
  const written = join(FOLDER, `${key}-${String(process.pid)}`);
  writeFileSync(written, compiled);
  renameSync(written, join(FOLDER, key));
  return compiled;
}
