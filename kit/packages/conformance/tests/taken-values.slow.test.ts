import type { IncomingHttpHeaders } from 'node:http';
import { createSuite, runSuite, type CaseClass } from '../src';
import { isJsonObject, readJson, writeJson, type Json, type JsonObject } from '../src/wire/json';
import { serveReplies } from './serve-books';

const body = (mediaType: string, schema: string): string =>
  `requestBody: { required: true, content: { ${mediaType}: { schema: { $ref: '#/components/schemas/${schema}' } } } }`;
const responses = (success: string, ...others: string[]): string =>
  `responses: { ${[success, ...others.map((status) => `'${status}': { description: No. }`)].join(', ')} }`;
const TOOL = `description: A tool., content: { application/json: { schema: { $ref: '#/components/schemas/Tool' } } }`;
const MEMBERS = `
        name: { type: string, enum: [saw, rake] }
        serial: { type: integer, format: int64, minimum: 1 }`;

/** Of tools, no two of which have the same serial. */
const CONTRACT = `openapi: 3.1.0
info: { title: Tools, version: 1.0.0 }
paths:
  /tools:
    post: { operationId: addTool, ${body('application/json', 'NewTool')}, ${responses(`'201': { ${TOOL} }`, '400', '409')} }
  /tools/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, minimum: 1 } }]
    get: { operationId: getTool, ${responses(`'200': { ${TOOL} }`, '400', '404')} }
    put:
      operationId: replaceTool
      ${body('application/json', 'NewTool')}
      ${responses(`'200': { ${TOOL} }`, '400', '404', '409')}
    patch:
      operationId: changeTool
      ${body('application/merge-patch+json', 'Change')}
      ${responses(`'200': { ${TOOL} }`, '400', '404', '409')}
components:
  schemas:
    NewTool:
      type: object
      additionalProperties: false
      required: [name, serial]
      properties:${MEMBERS}
    Change:
      type: object
      additionalProperties: false
      properties:${MEMBERS}
    Tool:
      type: object
      required: [id, name, serial]
      properties:
        id: { type: integer }${MEMBERS}
`;

type Fault = 'none' | 'POST accepts any name' | 'PATCH rounds';

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

interface Answer {
  readonly status: number;
  readonly tool?: JsonObject;
}

const isName = (name: Json): boolean => name === 'saw' || name === 'rake';
const isSerial = (serial: Json): boolean => typeof serial === 'bigint' && serial > 0n && serial < 2n ** 63n;

function parse(text: string): Json {
  try {
    return readJson(text);
  } catch {
    return null;
  }
}

function createTools(fault: Fault): (sent: Sent) => Answer {
  const tools = new Map<string, JsonObject>();

  function read(text: string, method: string): JsonObject | undefined {
    const value = parse(text);
    if (!isJsonObject(value)) return undefined;
    const { name, serial, ...others } = value;
    const isOptional = method === 'PATCH';
    const isAnyName = method === 'POST' && fault === 'POST accepts any name';
    const isNameRight = name === undefined ? isOptional : isAnyName || isName(name);
    const isSerialRight = serial === undefined ? isOptional : isSerial(serial);
    return isNameRight && isSerialRight && Object.keys(others).length === 0 ? value : undefined;
  }

  function save(id: string, tool: JsonObject, status: number): Answer {
    if ([...tools].some(([other, { serial }]) => other !== id && serial === tool['serial'])) return { status: 409 };
    tools.set(id, tool);
    return { status, tool: { ...tool, id: BigInt(id) } };
  }

  return ({ method, path, headers, body: text }) => {
    const [, id] = /^\/tools\/(\d+)$/.exec(path) ?? [];
    if (id === undefined && path !== '/tools') return { status: path.startsWith('/tools/') ? 400 : 404 };
    const mediaType = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const isJson =
      headers['content-type']?.split(';')[0]?.trim().toLowerCase() === mediaType && !('content-encoding' in headers);
    const given = method === 'GET' ? {} : isJson && read(text, method);
    if (!given) return { status: 400 };
    if (id === undefined) return save(String(tools.size + 1), given, 201);
    const old = tools.get(id);
    if (!old) return { status: 404 };
    if (method === 'GET') return { status: 200, tool: { ...old, id: BigInt(id) } };
    if (method === 'PUT') return save(id, given, 200);
    const { serial } = given;
    const rounded = fault === 'PATCH rounds' && typeof serial === 'bigint' ? { serial: BigInt(Number(serial)) } : {};
    return save(id, { ...old, ...given, ...rounded }, 200);
  };
}

const CLASSES: readonly CaseClass[] = ['positive', 'negative', 'stateful'];

/** Runs the suite against one server. Returns the findings of the last run, and which operations succeeded in it. */
async function judge(fault: Fault, runs = 1): Promise<[findings: string[], succeeded: string[]]> {
  const answer = createTools(fault);
  await using server = await serveReplies(({ method = '', url = '', headers }, res, text) => {
    const { status, tool } = answer({ method, path: url, headers, body: text });
    if (!tool) res.writeHead(status).end();
    else res.writeHead(status, { 'Content-Type': 'application/json' }).end(writeJson(tool));
  });
  const target = { base: server.base, secrets: {}, timeout: 10_000 };
  const findings = new Set<string>();
  const succeeded = new Set<string>();
  for (let run = 1; run <= runs; run++) {
    findings.clear();
    succeeded.clear();
    const suite = createSuite(CONTRACT, { marker: 'mark', level: 'robust' });
    const isWanted = ({ class: name }: { class: CaseClass }): boolean => CLASSES.includes(name);
    for await (const result of runSuite(suite, target, {
      isWanted,
      workers: 4,
    })) {
      for (const { check } of result.findings) findings.add(`${result.case.operation} ${check}`);
      const isPositive = result.case.class === 'positive' && result.replies.some(({ status }) => status < 300);
      if (isPositive) succeeded.add(result.case.operation);
    }
  }
  return [[...findings].sort(), [...succeeded].sort()];
}

test('where no two resources may have the same number, a right server has no finding, and each operation succeeds in a second run', async () => {
  expect(await judge('none', 2)).toEqual([[], ['addTool', 'changeTool', 'getTool', 'replaceTool']]);
});

test.each<[Fault, string]>([
  ['POST accepts any name', 'addTool invalid-accepted'],
  ['PATCH rounds', 'changeTool value-changed'],
])('where no two resources may have the same number, the suite finds that %s', async (fault, finding) => {
  const [findings] = await judge(fault);
  expect(findings).toContain(finding);
});
