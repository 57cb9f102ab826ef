'use strict';
const childProcess = require('node:child_process');
const { appendFileSync, existsSync, globSync, readFileSync, rmSync, writeFileSync } = require('node:fs');
const { resolve } = require('node:path');
const { TestEnvironment } = require('jest-environment-node');
const { HALVES, nameOf: nameOfFile } = require('./choose-tests');

const ACTIVE_MUTANT = '__STRYKER_ACTIVE_MUTANT__';
const SWITCH = /stryMutAct_\w+\("(\d+)"\)/g;
// What runs in processes alone, at least in part.
const PROCESS_FILES = [
  'dist/main.js',
  ...['run-service', 'node-version', 'create-server', 'log'].map((name) => `packages/server/dist/runtime/${name}.js`),
];

/** The file of each mutant. */
const fileOf = new Map(
  globSync(HALVES[process.env.MUTATION_HALF], { exclude: ['**/node_modules'] }).flatMap((file) =>
    mutantsIn(file).map((id) => [id, file]),
  ),
);
/** The tests that killed the mutants of each file, the latest one last. All workers write to it. */
const KILLERS = '.killers';
/** The name under which a hook covers. */
const HOOK = 'beforeAll';
/** How long each test took when nothing was changed, and the slowest hook, in milliseconds. */
const DURATIONS = '.durations';
/** What processes of the sources covered: they write it when they end. */
const COVERED = resolve('.covered');
/** The processes that the tests started. */
const children = new Set();
let stryker = {};

if (process.env.MUTATION_HALF === 'tools') {
  process.env.NODE_OPTIONS = `--require ${require.resolve('./process.js')}`;
  process.env.MUTATION_COVERED = COVERED;
}

for (const name of ['spawn', 'spawnSync', 'execFileSync']) {
  const start = childProcess[name];
  childProcess[name] = (file, args, options) => {
    const [script] = /dist\/[\w/-]+\.js/.exec(args.join(' ')) ?? [];
    if (script === undefined) return start(file, args, options);
    cover(script === 'dist/main.js' ? PROCESS_FILES : [script]);
    const { NODE_V8_COVERAGE: _, ...env } = options.env ?? process.env;
    if (process.env[ACTIVE_MUTANT] !== undefined) env[ACTIVE_MUTANT] = process.env[ACTIVE_MUTANT];
    const child = start(file, args, { ...options, env });
    if (name === 'spawn') children.add(child);
    return child;
  };
}

// A process does not tell what it covers. All the mutants of a file count.
function cover(scripts) {
  const { currentTestId, mutantCoverage } = stryker;
  if (currentTestId === undefined) return;
  const covered = (mutantCoverage.perTest[currentTestId] ??= {});
  for (const id of scripts.flatMap(mutantsIn)) covered[id] ??= 1;
}

/** What ended while a test ran is what it started. */
function coverProcesses({ perTest }, test) {
  if (!existsSync(COVERED)) return;
  addTo(perTest, test, readFileSync(COVERED, 'utf8').split(/\s+/).filter(Boolean));
  rmSync(COVERED);
}

/** What all tests of a block rest on. */
function coverHook({ perTest }, { type, parent }, isOver) {
  if (type !== 'beforeAll') return;
  stryker.currentTestId = isOver ? undefined : HOOK;
  if (!isOver) return;
  for (const test of testsOf(parent)) addTo(perTest, nameOf(test), Object.keys(perTest[HOOK] ?? {}));
  delete perTest[HOOK];
}

function testsOf(block) {
  return block.children.flatMap((child) => (child.type === 'test' ? [child] : testsOf(child)));
}

function addTo(perTest, test, ids) {
  // Stryker does not name what is around all tests.
  const covered = (perTest[test.replace('ROOT_DESCRIBE_BLOCK ', '')] ??= {});
  for (const id of ids) covered[id] ??= 1;
}

function mutantsIn(file) {
  return [...readFileSync(file, 'utf8').matchAll(SWITCH)].map(([, id]) => id);
}

// The validator compiles the schema of OpenAPI itself for each application, which is most of what a start costs.
const metaschemas = require('express-openapi-validator/dist/framework/openapi.schema.validator');
const { OpenAPISchemaValidator } = metaschemas;
const compiled = new Map();
metaschemas.OpenAPISchemaValidator = function (options) {
  const key = `${options.version} ${options.validateApiSpec}`;
  if (!compiled.has(key)) compiled.set(key, new OpenAPISchemaValidator(options));
  return compiled.get(key);
};

// It compares bodies with what the tests expect, which are objects and regular expressions of another realm.
const { Test } = require('supertest');
const { expect } = Test.prototype;
Test.prototype.expect = function (...args) {
  return expect.apply(
    this,
    args.map((arg) =>
      /^\[object (Object|Array|RegExp)\]$/.test(Object.prototype.toString.call(arg)) ? structuredClone(arg) : arg,
    ),
  );
};

module.exports = class extends TestEnvironment {
  mutated = fileOf.get(process.env[ACTIVE_MUTANT]);
  durations = { hook: 0, tests: {} };
  isKilled = false;
  isOver = false;

  constructor(config, context) {
    super(config, context);
    this.global.requireOutside = require;
    const isInstance = Function.prototype[Symbol.hasInstance];
    for (const outside of [Error, RangeError, SyntaxError, URIError]) {
      const inside = this.global[outside.name];
      Object.defineProperty(inside, Symbol.hasInstance, {
        value(error) {
          return isInstance.call(this, error) || (this === inside && error instanceof outside);
        },
      });
    }
    // A test that timed out may still poll.
    const { setTimeout } = this.global;
    this.global.setTimeout = (...args) => {
      const timer = setTimeout(...args);
      if (this.isOver) clearTimeout(timer);
      return timer;
    };
  }

  // One test that fails is enough, but Jest has no bail within a file.
  handleTestEvent({ name, test, hook }, state) {
    stryker = this.global[this.global.__strykerGlobalNamespace__] ?? {};
    if (this.mutated === undefined) {
      this.measure(name, test, hook);
      return;
    }
    if (name === 'run_start') this.plan(state);
    if (name === 'test_start') {
      test.timeout = this.allow(this.durations.tests[nameOf(test)]);
      if (this.isKilled) test.mode = 'skip';
    }
    if (name === 'test_done' && test.errors.length > 0) {
      this.isKilled = true;
      appendFileSync(KILLERS, `${JSON.stringify([this.mutated, nameOf(test)])}\n`);
    }
  }

  measure(name, test, hook) {
    if (hook !== undefined) coverHook(stryker.mutantCoverage, hook, name !== 'hook_start');
    if (name === 'hook_start') this.hookStart = performance.now();
    if (name === 'hook_success') {
      this.durations.hook = Math.max(this.durations.hook, performance.now() - this.hookStart);
    }
    if (name === 'test_done') {
      this.durations.tests[nameOf(test)] = test.duration;
      coverProcesses(stryker.mutantCoverage, nameOf(test));
    }
    if (name === 'run_finish') writeFileSync(DURATIONS, JSON.stringify(this.durations));
  }

  // A mutant that hangs is killed by the test that waits for it, three times as long as when all is well.
  allow(duration = 0) {
    return this.patience + 3 * duration;
  }

  // The tests of a folder have to notice what is wrong with it: with all tests, each survivor takes minutes.
  plan(state) {
    const isOfProcess = PROCESS_FILES.includes(this.mutated.replace(/(^|\/)src\/(.*)ts$/, '$1dist/$2js'));
    this.patience = isOfProcess ? 10_000 : 3_000;
    this.folder = folderOf(nameOfFile(this.mutated));
    this.durations = JSON.parse(readFileSync(DURATIONS, 'utf8'));
    state.testTimeout = this.allow(this.durations.hook);
    for (const block of state.rootDescribeBlock.children) {
      if (folderOf(block.name) !== this.folder || (/^main/.test(block.name) && !isOfProcess)) skip(block);
    }
    this.sort(state.rootDescribeBlock, killersOf(this.mutated));
  }

  // First the tests that killed the latest mutants of this file, then those that have its name.
  sort(block, tests) {
    const rankOf = (child) => {
      if (child.type === 'test') return tests.lastIndexOf(nameOf(child));
      return Math.max(nameOfFile(this.mutated) === child.name ? -0.5 : -1, ...child.children.map(rankOf));
    };
    const ranks = new Map(block.children.map((child) => [child, rankOf(child)]));
    block.children.sort((one, other) => ranks.get(other) - ranks.get(one));
    for (const child of block.children) if (child.type === 'describeBlock') this.sort(child, tests);
  }

  async teardown() {
    this.isOver = true;
    for (const child of children) child.kill('SIGKILL');
    children.clear();
    await super.teardown();
  }
};

// What is in a block has a mode of its own.
function skip(block) {
  block.mode = 'skip';
  for (const child of block.children ?? []) skip(child);
}

function killersOf(mutated) {
  const lines = existsSync(KILLERS) ? readFileSync(KILLERS, 'utf8').trim().split('\n') : [];
  return lines.map((line) => JSON.parse(line)).flatMap(([file, test]) => (file === mutated ? [test] : []));
}

/** What a mutant and its tests have in common; what is about the process has its tests at the top. */
function folderOf(name) {
  const [own] = /^packages\/(?:store|conformance|tools)(?=\/)/.exec(name) ?? [];
  if (own !== undefined) return own;
  const [, area, folder] = /^(packages\/server\/)?(?:(\w+)\/)?/.exec(
    name.replace('runtime/token', 'auth/token').replace('packages/contract/', 'packages/server/contract/'),
  );
  if (folder === undefined || folder === 'process' || (area && folder === 'runtime')) return undefined;
  if (folder === 'admin') return 'packages/server/admin';
  // Most rooms of the server have their tests in contract/.
  return area ? `packages/server/${['auth', 'docs'].includes(folder) ? folder : 'contract'}` : folder;
}

function nameOf({ name, parent }) {
  return parent ? `${nameOf(parent)} ${name}` : name;
}
