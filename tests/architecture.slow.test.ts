import { ESLint } from 'eslint';

const eslint = new ESLint();

async function rulesBroken(filePath: string, text: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(text, { filePath });
  return result?.messages.map(({ ruleId }) => ruleId) ?? [];
}

test.each([
  ['a handler knows the application', 'src/handlers/index.ts', `import '../app';`, 'no-restricted-imports'],
  ['the kit reads generated/', 'src/contract/chain.ts', `import '../../generated/contract';`, 'no-restricted-imports'],
  ['the application knows a handler', 'src/app.ts', `import './handlers/create-thing';`, 'no-restricted-imports'],
  ['the application knows the store', 'src/app.ts', `import './store/things';`, 'no-restricted-imports'],
  ['the application knows the service', 'src/app.ts', `import './service';`, 'no-restricted-imports'],
  ['main.ts knows the handlers', 'src/main.ts', `import './handlers';`, 'no-restricted-imports'],
  ['main.ts knows the store', 'src/main.ts', `import './store/things';`, 'no-restricted-imports'],
  ['the service knows the validator', 'src/service.ts', `import 'express-openapi-validator';`, 'no-restricted-imports'],
  ['metrics know the store', 'src/admin/metrics.ts', `import '../store/things';`, 'no-restricted-imports'],
  ['a handler knows the service', 'src/handlers/index.ts', `import '../service';`, 'no-restricted-imports'],
  ['the kit knows the service', 'src/contract/chain.ts', `import '../service';`, 'no-restricted-imports'],
  ['tokens know the store', 'src/auth/token-verifier.ts', `import '../store/things';`, 'no-restricted-imports'],
  ['the kit knows a handler', 'src/contract/chain.ts', `import '../handlers/create-thing';`, 'no-restricted-imports'],
  ['the kit knows the store', 'src/contract/chain.ts', `import '../store/things';`, 'no-restricted-imports'],
  ['the page knows the store', 'src/docs/create-docs.ts', `import '../store/things';`, 'no-restricted-imports'],
  ['the kit knows the page', 'src/contract/chain.ts', `import '../docs/create-docs';`, 'no-restricted-imports'],
  [
    'the page writes itself',
    'src/docs/send-file.ts',
    `export const a = (res: R) => res.send();`,
    'no-restricted-syntax',
  ],
  ['the application knows the validator', 'src/app.ts', `import 'express-openapi-validator';`, 'no-restricted-imports'],
  [
    'the kit knows the validator outside its folder',
    'src/contract/chain.ts',
    `import type { RequestValidator } from 'express-openapi-validator/dist/middlewares';`,
    'no-restricted-imports',
  ],
  [
    'the validator knows the page',
    'src/contract/eov/eov.ts',
    `import '../../docs/create-docs';`,
    'no-restricted-imports',
  ],
  ['the environment is read elsewhere', 'src/log.ts', `export const a = process.env;`, 'no-restricted-properties'],
  ['the process is ended elsewhere', 'src/app.ts', `process.exit(1);`, 'no-restricted-properties'],
  [
    'something else writes',
    'src/contract/chain.ts',
    `export const a = (res: Response) => res.end();`,
    'no-restricted-syntax',
  ],
  ['something else listens', 'src/app.ts', `export const a = (b: Server) => b.listen(1);`, 'no-restricted-syntax'],
  ['something writes to the console', 'src/app.ts', `console.log(1);`, 'no-console'],
])('lint fails when %s', async (_, file, text, rule) => {
  await expect(rulesBroken(file, text)).resolves.toContain(rule);
});

test.each([
  ['src/handlers/index.ts', '../contract/handler'],
  ['src/contract/eov/eov.ts', 'express-openapi-validator/dist/middlewares'],
  ['src/contract/eov/eov.ts', '../message'],
  ['src/handlers/index.ts', '../store/things'],
  ['src/service.ts', './handlers'],
  ['src/service.ts', './store/things'],
  ['src/main.ts', './service'],
  ['src/app.ts', './service-interface'],
])('lint allows what is as it should be: %s knows %s', async (file, name) => {
  await expect(rulesBroken(file, `import '${name}';\n`)).resolves.toEqual([]);
});
