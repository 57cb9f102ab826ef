import { ContractError } from '../../../src/contract/text/mistake';
import { compile, type Compilers } from '../../../src/validate/eov/compile';
import { proveAjv } from '../../../src/validate/eov/eov';

const pass = (): undefined => undefined;

test.each(['3.0.3', '3.1.0'])('what is installed as Ajv refuses wrong values, OpenAPI %s', (openapi) => {
  expect(() => {
    proveAjv(openapi);
  }).not.toThrow();
});

test.each<[string, string, Partial<Compilers>, string]>([
  ['requests', '3.0.0', { compileRequest: () => pass }, 'anyOf, oneOf, if'],
  ['replies', '3.0.0', { compileReply: () => pass }, 'anyOf, oneOf, if'],
  ['requests', '3.1.1', { compileRequest: () => pass }, 'anyOf, oneOf, if'],
  ['replies', '3.1.1', { compileReply: () => pass }, 'anyOf, oneOf, if'],
])('one that lets wrong %s pass stops the start, OpenAPI %s', (_, openapi, passing, keywords) => {
  const prove = (): void => {
    proveAjv(openapi, (document) => ({ ...compile(document), ...passing }));
  };
  expect(prove).toThrow(ContractError);
  const told = String.raw`^(ajv@(\S+)) is in the place of \1, and lets wrong values pass ${keywords}\.\n[^{]*\{[^{]*\{\s*"ajv": "\2"`;
  expect(prove).toThrow(new RegExp(told));
});

test('it is tried once for each version of OpenAPI', () => {
  const tried: object[] = [];
  for (const openapi of ['3.0.1', '3.0.1', '3.1.2', '3.0.1']) {
    proveAjv(openapi, (document) => {
      tried.push(document);
      return compile(document);
    });
  }
  expect(tried).toMatchObject([{ openapi: '3.0.1' }, { openapi: '3.1.2' }]);
});
