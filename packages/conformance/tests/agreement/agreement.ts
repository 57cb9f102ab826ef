import ts from 'typescript';
import { titleOf, type Case } from '../../src/generators/case';
import { operationOf, type Model } from '../../src/contract/model';
import { requestContentOf } from '../../src/oracle/body';
import type { CaseResult, Oracle } from '../../src/oracle/checks';
import { isAccepted } from '../../src/oracle/judge';
import { readJson, isJsonList, isJsonObject, type Json } from '../../src/wire/json';
import { join } from 'node:path';
import {
  itemsOf,
  patternsOf,
  propertiesOf,
  rulesOf,
  additionalOf,
  unionMembersOf,
  type Schema,
} from '../../src/contract/schema';

/** What three who share nothing say of a body. */
interface Verdicts {
  readonly case: Case;
  /** Undefined where a type cannot say it: limits, patterns, formats, lengths. */
  readonly types: boolean | undefined;
  readonly server: boolean;
  readonly validator: boolean;
}

const SAID_BY_TYPES = new Set(['type', 'required', 'enum', 'const']);

/** The verdicts on every case with a body that is JSON. */
export function compareVerdicts({ model, validate }: Oracle, results: readonly CaseResult[]): Verdicts[] {
  const compared = results.filter(
    ({ case: one }) =>
      one.keyword !== undefined &&
      one.request.body?.length &&
      requestContentOf(operationOf(model, one), one)?.kind === 'json',
  );
  const accepted = typeVerdicts(
    model,
    compared.map(({ case: one }) => one),
  );
  return compared.map(({ case: one, replies }, index) => {
    const operation = operationOf(model, one);
    const content = requestContentOf(operation, one);
    const json = readJson(one.request.body?.toString('utf8') ?? '');
    const problems = content?.schema.schemaObjects.flatMap(({ pointer }) => validate(pointer, json)) ?? [];
    // What a type accepts may still break another rule; what it refuses is wrong.
    const isSaid = one.expect === 'accepted' || SAID_BY_TYPES.has(one.keyword ?? '');
    return {
      case: one,
      types: isSaid || accepted[index] === false ? accepted[index] : undefined,
      // What it cannot do, it has not refused.
      server: replies.every(({ status }) => isAccepted(operation, status) || status >= 500),
      validator: problems.length === 0,
    };
  });
}

export function isAgreed({ types, server, validator }: Verdicts): boolean {
  return server === validator && (types === undefined || types === validator);
}

export function describeVerdicts({ case: one, types, server, validator }: Verdicts): string {
  const word = (accepts: boolean | undefined): string =>
    accepts === undefined ? 'cannot say' : accepts ? 'accepts' : 'refuses';
  return `${titleOf(one)}\n  sent: ${one.request.body?.toString('utf8').slice(0, 300) ?? ''}\n  the generated types: ${word(types)}\n  the server: ${word(server)}\n  the independent validator: ${word(validator)}`;
}

// Beside the generated types, so that its import resolves; it is in memory only.
const ROOT = process.cwd();
const FILE = join(ROOT, 'generated', 'agreement.ts');

/**
 * What the generated types say of each body: whether the compiler takes it for an argument.
 *
 * @param cases with bodies that are JSON
 */
function typeVerdicts(model: Model, cases: readonly Case[]): boolean[] {
  if (cases.length === 0) return [];
  const config = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (file) => ts.sys.readFile(file));
  const { options } = ts.parseJsonConfigFileContent(config.config, ts.sys, ROOT);
  const head = [
    `import type { operations } from './api';`,
    // Through a parameter of its own, a property more is no mistake, as in JSON.
    'declare function fits<Body>(): <Value extends Body>(value: Value) => void;',
  ];
  const lines = cases.map((one) => {
    const operation = operationOf(model, one);
    const { mediaType = '', schema } = requestContentOf(operation, one) ?? {};
    const json = readJson(one.request.body?.toString('utf8') ?? '');
    const type = `NonNullable<operations['${operation.id}']['requestBody']>['content']['${mediaType}']`;
    return `fits<${type}>()(${toTypeScript(schema, json)});`;
  });
  const source = ts.createSourceFile(FILE, [...head, ...lines].join('\n'), ts.ScriptTarget.ESNext, true);
  const host = ts.createCompilerHost(options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) => (name === FILE ? source : getSourceFile(name, ...rest));
  const program = ts.createProgram([FILE], { ...options, noEmit: true }, host);
  const problems = program.getSemanticDiagnostics(source);
  const wrong = new Set(
    problems.map(({ start = 0 }) => source.getLineAndCharacterOfPosition(start).line - head.length),
  );
  const broken = problems.find(({ start = 0 }) => source.getLineAndCharacterOfPosition(start).line < head.length);
  if (broken) throw new Error(ts.flattenDiagnosticMessageText(broken.messageText, '\n'));
  return cases.map((_one, index) => !wrong.has(index));
}

/** The expression that a value is in TypeScript, an int64 as the generated types have it. */
function toTypeScript(schema: Schema | undefined, value: Json): string {
  if (isJsonList(value)) {
    const items =
      schema &&
      unionMembersOf(schema)
        .map(itemsOf)
        .find((one) => one !== undefined);
    return `[${value.map((item) => toTypeScript(items, item)).join(', ')}]`;
  }
  if (isJsonObject(value)) {
    const members = Object.entries(value).map(
      ([name, member]) => `[${quote(name)}]: ${toTypeScript(schema && propertyOf(schema, name), member)}`,
    );
    return `{ ${members.join(', ')} }`;
  }
  if (typeof value === 'bigint' && schema !== undefined && isInt64(schema)) return `${value.toString()}n`;
  // As many digits as a double has; beyond its range it is infinite.
  if (typeof value === 'bigint') return toNumber(Number(value));
  if (typeof value === 'number') return toNumber(value);
  return typeof value === 'string' ? quote(value) : String(value);
}

function propertyOf(schema: Schema, name: string): Schema | undefined {
  for (const branch of unionMembersOf(schema)) {
    const pattern = patternsOf(branch).find(([one]) => new RegExp(one, 'u').test(name))?.[1];
    const additional = additionalOf(branch);
    const found =
      propertiesOf(branch).get(name) ?? pattern ?? (typeof additional === 'object' ? additional : undefined);
    if (found) return found;
  }
  return undefined;
}

function isInt64(schema: Schema): boolean {
  return unionMembersOf(schema).some((branch) => rulesOf(branch, 'format').some(({ value }) => value === 'int64'));
}

function toNumber(value: number): string {
  return Number.isFinite(value) ? String(value) : 'Number.POSITIVE_INFINITY';
}

// In ASCII, since some signs end a line.
function quote(text: string): string {
  return JSON.stringify(text).replace(/[^ -~]/g, (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
