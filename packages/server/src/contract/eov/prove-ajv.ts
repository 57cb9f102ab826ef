// Proves at start-up that the package in the place of Ajv refuses what Ajv refuses.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { isOpenApi30 } from '../document/keywords';
import { ContractError } from '../document/mistake';
import { compile, MAX_INLINED_KEYWORDS } from './compile';

const KEYWORDS: Readonly<Record<string, (schema: object) => object>> = {
  anyOf: (schema) => ({ anyOf: [schema, schema] }),
  oneOf: (schema) => ({ oneOf: [schema, schema] }),
  if: (schema) => ({ if: schema, else: schema }),
};

// Makes a schema that judges the property `anyOf`, say, by one reference twice, in alternatives.
function referTwice(name: string): object {
  const reference = { $ref: `#/components/schemas/${name}` };
  const properties = Object.entries(KEYWORDS).map(([keyword, write]) => [keyword, write(reference)]);
  return { required: ['id'], properties: Object.fromEntries(properties) as object };
}

const manyKeywords = Array.from({ length: MAX_INLINED_KEYWORDS }, (_unused, index) => [`x-${String(index)}`, true]);

// Only a reference that is compiled to a call can pass wrongly: to a schema of many keywords, or that refers to itself.
const SCHEMAS = {
  tree: referTwice('tree'),
  shared: referTwice('large'),
  large: Object.fromEntries([['required', ['id']], ...manyKeywords]) as object,
};

const proven = new Set<string>();

/**
 * Proves, once for each version of OpenAPI, that wrong values do not pass where a schema is referred to more than once. A fork
 * of Ajv looks at a value only once: what it has refused passes the next time, and stays in memory. npm puts it in the place of
 * Ajv for a package that depends on it as `"ajv": "npm:..."`.
 *
 * @param compileSchemas for tests; by default what compiles the messages of a contract
 * @throws ContractError with the package in the place of Ajv, and what to add to package.json
 */
export function proveAjv(openapi: string, compileSchemas = compile): void {
  if (proven.has(openapi)) return;
  const { compileRequest, compileReply } = compileSchemas({ openapi, components: { schemas: SCHEMAS } });
  const judges = ['tree', 'shared'].flatMap((name) => [compileRequest(name), compileReply(name)]);
  const passed = Object.keys(KEYWORDS).filter((keyword) => judges.some((judge) => !judge({ id: 1, [keyword]: {} })));
  if (passed.length > 0) throw new ContractError(describe(openapi, passed));
  proven.add(openapi);
}

function describe(openapi: string, passed: readonly string[]): string {
  const { peerDependencies } = readManifest(join(__dirname, '../../../package.json'));
  const ajv = String(peerDependencies?.['ajv']);
  const mended = { dependencies: { ajv }, overrides: { 'ajv@8': '$ajv' } };
  return [
    `${findAjv(openapi)} is in the place of ajv@${ajv}, and lets wrong values pass ${passed.join(', ')}.`,
    'Add this to package.json, and run npm install:',
    JSON.stringify(mended, null, 2),
  ].join('\n');
}

// The package that EOV takes for Ajv: for OpenAPI 3.0 by way of ajv-draft-04.
function findAjv(openapi: string): string {
  const eov = createRequire(require.resolve('express-openapi-validator'));
  const user = isOpenApi30(openapi) ? createRequire(eov.resolve('ajv-draft-04')) : eov;
  const { name, version } = readManifest(user.resolve('ajv/package.json'));
  return `${name}@${version}`;
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

function readManifest(file: string): Manifest {
  return JSON.parse(readFileSync(file, 'utf8')) as Manifest;
}
