import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { FIXTURE_ERRORS } from '../../../tests/support/fixture-errors';
import { generate } from '../src/generate/generate';
import { useFolder } from '../../../tests/support/use-folder';

const ERROR = '{ description: No., content: { application/json: { schema: { $ref: "#/components/schemas/Error" } } } }';
const CONTRACT = `openapi: 3.0.3
info: { title: Clock, version: 1.0.0 }
paths:
  /clock: { get: { operationId: getClock, security: [], responses: { '204': { description: It runs. }, default: ${ERROR} } } }
components:
  schemas:
    Error:
      type: object
      required: [error, message]
      properties:
        error: { type: integer, format: int32, x-error-catalogue: ${JSON.stringify(FIXTURE_ERRORS)} }
        message: { type: string }
`;

const HANDLERS = `import type { ErrorNumber } from './generated/api';
import type { Handler } from './generated/handlers';
export const listed: Handler<'getClock'> = (_, reply) => reply(400, { error: 40009, message: '' });
export const unlisted: Handler<'getClock'> = (_, reply) => reply(404, { error: 40401, message: '' });
export const variable: Handler<'getClock'> = (_, reply) => {
  const error = 40401;
  return reply(404, { error, message: '' });
};
export const any: Handler<'getClock'> = (_, reply) => reply(404, { error: Number('40009'), message: '' });
export const otherPlace: ErrorNumber<''> = 40401;
`;

const folder = useFolder();

test('the compiler leads from an unknown error number to the catalogue', async () => {
  mkdirSync(join(folder, 'generated'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(await generate(CONTRACT, 'openapi.yaml'))) {
    writeFileSync(join(folder, 'generated', name), text);
  }
  const file = join(folder, 'handlers.ts');
  writeFileSync(file, HANDLERS);
  const program = ts.createProgram([file], {
    ...{ strict: true, noEmit: true, skipLibCheck: true, types: ['node'], target: ts.ScriptTarget.ESNext },
    ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  });
  const messages = ts.getPreEmitDiagnostics(program).map((one) => {
    const line = one.file?.getLineAndCharacterOfPosition(one.start ?? 0).line ?? 0;
    return `${String(line + 1)} ${ts.flattenDiagnosticMessageText(one.messageText, '\n')}`;
  });
  const catalogue = 'ErrorNumber<"x-error-catalogue of openapi.yaml">';
  expect(messages).toEqual([
    `4 Type '40401' is not assignable to type '${catalogue}'.`,
    `7 Type '40401' is not assignable to type '${catalogue}'.`,
    `9 Type 'number' is not assignable to type '${catalogue}'.`,
    `10 Type '40401' is not assignable to type 'ErrorNumber<"">'.`,
  ]);
}, 60_000);
