// Judges the readers of JSON and of forms, and how the suite applies a merge patch.
import { isUtf8 } from 'node:buffer';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mergePatch } from '../../packages/conformance/src/stateful/representation';
import { isSame, readJson, type Json } from '../../packages/conformance/src/wire/json';
import { serveOperation } from '@contract-kit/test-support/serve-operation';
import { readJsonFile, Verdicts } from './judge';

/** The two files of JSONTestSuite that are 100 kB of brackets and more. */
const DEEP = [
  ['n_structure_100000_opening_arrays.json', '['.repeat(100_000)],
  ['n_structure_open_array_object.json', '[{"":'.repeat(50_000)],
] as const;

/** By JSONTestSuite. The first letter of a name is the verdict: y, n, or i for either. The server echoes what it accepts. */
export async function judgeJson(data: string): Promise<Verdicts> {
  const folder = join(data, 'json-test-suite/test_parsing');
  const names = readdirSync(folder).filter((name) => /^[yni]_/.test(name));
  const files = new Map([
    ...names.map((name) => [name, readFileSync(join(folder, name))] as const),
    ...DEEP.map(([name, text]) => [name, Buffer.from(text)] as const),
  ]);
  const verdicts = new Verdicts();
  await using echo = await serveOperation({ body: '{}', reply: '{}' });
  for (const [name, bytes] of files) {
    verdicts.add(`${name}, server`, await askServer(new URL('/a', echo.base), name, bytes));
    if (isUtf8(bytes)) verdicts.add(`${name}, suite`, askSuite(name, bytes.toString()));
  }
  return verdicts;
}

async function askServer(url: URL, name: string, bytes: Buffer): Promise<string | undefined> {
  const headers = { 'Content-Type': 'application/json' };
  const reply = await fetch(url, { method: 'POST', headers, body: new Uint8Array(bytes) });
  const text = await reply.text();
  const allowed = { y: [200], n: [400], i: [200, 400] }[name.charAt(0)] ?? [];
  if (!allowed.includes(reply.status)) return String(reply.status);
  // Without a schema, numbers are doubles; one that overflows would come back as null.
  const isEchoed = reply.status === 400 || isSame(parse(text), parse(bytes.toString()));
  return isEchoed ? undefined : 'another value';
}

function parse(text: string): Json {
  return JSON.parse(text) as Json;
}

function askSuite(name: string, text: string): string | undefined {
  const verdict = isJson(text) ? 'y' : 'n';
  return name.startsWith('i') || name.startsWith(verdict) ? undefined : verdict === 'y' ? 'accepted' : 'refused';
}

function isJson(text: string): boolean {
  try {
    readJson(text);
    return true;
  } catch {
    return false;
  }
}

interface FormRow {
  readonly input: string;
  readonly output: readonly (readonly [name: string, value: string])[];
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
// Each name may come several times.
const SCHEMA = '{ type: object, additionalProperties: { type: array, items: { type: string } } }';

/** By web-platform-tests. */
export async function judgeForms(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  await using server = await serveOperation({
    members: `requestBody: { required: false, content: { ${FORM_TYPE}: { schema: ${SCHEMA} } } }`,
  });
  const rows = readJsonFile(data, 'web-platform-tests', 'urlencoded-parser-data.json') as readonly FormRow[];
  for (const { input, output } of rows) {
    const headers = { 'Content-Type': FORM_TYPE };
    const { status } = await fetch(new URL('/a', server.base), { method: 'POST', headers, body: input });
    const wanted = Map.groupBy(output, ([name]) => name);
    const values = [...wanted].map(([name, pairs]) => [name, pairs.map(([, value]) => value)] as const);
    const read = Object.entries(Object(server.seen.at(-1)) as object);
    const isRead = status === 204 && JSON.stringify(read.toSorted()) === JSON.stringify(values.toSorted());
    verdicts.add(JSON.stringify(input), isRead ? undefined : status === 204 ? JSON.stringify(read) : String(status));
  }
  return verdicts;
}

interface PatchRow {
  readonly original: Json;
  readonly patch: Json;
  readonly result: Json;
}

/** By the examples of RFC 7396. */
// oxlint-disable-next-line typescript/require-await -- judges are asynchronous
export async function judgePatches(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  for (const { original, patch, result } of readJsonFile(data, 'json-merge-patch.json') as readonly PatchRow[]) {
    const found = mergePatch(original, patch);
    const test = `${JSON.stringify(original)} with ${JSON.stringify(patch)}`;
    verdicts.add(test, isSame(found, result) ? undefined : JSON.stringify(found));
  }
  return verdicts;
}
