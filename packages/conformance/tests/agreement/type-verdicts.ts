import ts from 'typescript';
import { join } from 'node:path';
import type { Case } from '../../src/generators/case';
import { operationOf, type Model } from '../../src/contract/model';
import { sentContent } from '../../src/oracle/body';
import { readJson } from '../../src/wire/json';
import { toTypeScript } from './to-type-script';

// Beside the generated types, so that its import resolves; it is in memory only.
const ROOT = join(__dirname, '..', '..', '..');
const FILE = join(ROOT, 'generated', 'agreement.ts');

/**
 * What the generated types say of each body: whether the compiler takes it for an argument.
 *
 * @param cases with bodies that are JSON
 */
export function typeVerdicts(model: Model, cases: readonly Case[]): boolean[] {
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
    const { mediaType = '', schema } = sentContent(operation, one) ?? {};
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
