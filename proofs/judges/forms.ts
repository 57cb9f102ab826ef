// Judges the server's reader of application/x-www-form-urlencoded by web-platform-tests.
import { serveOperation } from '../../packages/server/tests/serve-operation';
import { readJsonFile, Verdicts } from './judge';

interface Row {
  readonly input: string;
  readonly output: readonly (readonly [name: string, value: string])[];
}

const FORM_TYPE = 'application/x-www-form-urlencoded';
// Each name may come several times.
const SCHEMA = '{ type: object, additionalProperties: { type: array, items: { type: string } } }';

export async function judgeForms(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  await using server = await serveOperation({
    members: `requestBody: { required: false, content: { ${FORM_TYPE}: { schema: ${SCHEMA} } } }`,
  });
  const rows = readJsonFile(data, 'web-platform-tests', 'urlencoded-parser-data.json') as readonly Row[];
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
