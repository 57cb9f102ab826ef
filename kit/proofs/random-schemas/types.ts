// Compares the types of random schemas with the verdicts of a service on random values.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as fc from 'fast-check';
import ts from 'typescript';
import { generate } from '../../packages/tools/src/generate/generate';
import { DIALECTS, isSent, load, toContract } from '../judges/json-schema';
import { schemasOf, value } from './schemas';

/** A reply, and what the service and the types say of it. */
interface Row {
  readonly schema: string;
  readonly json: string;
  readonly isSent: boolean;
  isTyped: boolean;
}

// Why only the service refuses a reply: TypeScript has no types for these keywords.
const UNTYPED =
  /"(?:m(?:in|ax)(?:Length|imum|Items|Properties|Contains)|exclusiveM\w+|multipleOf|pattern|uniqueItems|contains|not|if|dependent\w+|propertyNames|unevaluated\w+|patternProperties|oneOf)":|"integer"/;
// Why only the types refuse it: an object without properties may have any names, and its type has the required ones. For
// TypeScript, even {} has the `constructor` of Object, which differs from a declared one.
const NARROWER = /"required":|"constructor":/;

// A schema without a type is typed by its keywords, and allows values of all other types. Here, each schema has its type.
const KEYWORDS_OF_TYPES = {
  object: /propert|^(?:required|dependent\w+)$/i,
  array: /items|contains$/i,
};

function addType(_key: string, node: unknown): unknown {
  if (typeof node !== 'object' || node === null || Array.isArray(node) || 'type' in node) return node;
  const isOfType = ([, keywords]: [string, RegExp]): boolean => Object.keys(node).some((key) => keywords.test(key));
  const [type] = Object.entries(KEYWORDS_OF_TYPES).find(isOfType) ?? [];
  return type === undefined ? node : { ...node, type };
}

async function writeRows(file: string, isOld: boolean, random: object, values: readonly unknown[]): Promise<Row[]> {
  const [schema, dialect] = [JSON.stringify(random, addType), DIALECTS[Number(isOld)]];
  if (!dialect) throw new Error('a dialect is missing');
  const contract = JSON.stringify(toContract(dialect, JSON.parse(schema)));
  const service = await load(contract);
  if (typeof service === 'string') throw new Error(service);
  const { 'schemas.d.ts': types = '' } = await generate(contract, 'openapi.yaml');
  const rows = values.flatMap((one): Row[] => {
    const json = JSON.stringify(one);
    const verdict = isSent(service, json);
    // The types refuse an undeclared member by another mechanism, in the arguments of reply.
    return verdict === 'undeclared' ? [] : [{ schema, json, isSent: verdict, isTyped: true }];
  });
  const lines = rows.map(({ json }, index) => `export const value${String(index)}: S = ${json};`);
  writeFileSync(file, [types.replace(/\nexport \{\};\n/, ''), ...lines].join('\n'));
  return rows;
}

function judgeByTypes(rowsByFile: ReadonlyMap<string, readonly Row[]>): void {
  const options = { strict: true, noEmit: true, types: [], target: ts.ScriptTarget.ESNext };
  const program = ts.createProgram([...rowsByFile.keys()], options);
  for (const [name, rows] of rowsByFile) {
    const file = program.getSourceFile(name);
    const length = file?.text.split('\n').length ?? 0;
    for (const { start = 0 } of program.getSemanticDiagnostics(file)) {
      const line = file?.getLineAndCharacterOfPosition(start).line ?? 0;
      const row = rows[line - (length - rows.length)];
      if (!row) throw new Error(`the types of ${String(rows[0]?.schema)} do not compile`);
      row.isTyped = false;
    }
  }
}

/**
 * Compares what the types of some schemas say of replies.
 *
 * @param count how many schemas to compare, half of them in OpenAPI 3.0
 */
export async function compareTypes(count: number, seed: number) {
  const folder = mkdtempSync(join(tmpdir(), 'types-'));
  const rowsByFile = new Map<string, Row[]>();
  try {
    for (const isOld of [false, true]) {
      const random = fc.tuple(schemasOf(isOld), fc.array(value, { minLength: 10, maxLength: 20 }));
      for (const [schema, values] of fc.sample(random, { seed, numRuns: count / 2 })) {
        const file = join(folder, `${String(rowsByFile.size)}.ts`);
        rowsByFile.set(file, await writeRows(file, isOld, schema, values));
      }
    }
    judgeByTypes(rowsByFile);
  } finally {
    rmSync(folder, { recursive: true });
  }
  const rows = [...rowsByFile.values()].flat();
  const differing = rows.filter((row) => row.isSent !== row.isTyped);
  const unexplained = differing.filter((row) => !(row.isSent ? NARROWER : UNTYPED).test(row.schema));
  const [wider, narrower] = [false, true].map((isSent) => differing.filter((row) => row.isSent === isSent).length);
  return {
    summary: `types of ${String(count)} schemas, ${String(rows.length)} values: ${String(wider)} are typed and refused, by keywords without types, ${String(narrower)} are sent and not typed, of objects without properties or with a constructor, ${String(unexplained.length)} differ without a reason`,
    /** Replies on which the types and the service differ, and no keyword says why: one line each. */
    unexplained: unexplained.map((row) => JSON.stringify(row)),
  };
}
