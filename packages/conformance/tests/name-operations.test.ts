import { nameOperations } from '../src/contract/model';
import { nameOperations as nameInServer } from '../../server/src/contract/operation/operation-id';

const METHODS = ['GET', 'PUT', 'DELETE'];
const PATHS = [
  ...['/', '/pets', '/pets/{petId}', '/users/me', '/a-b', '/a/b', '/A/{B}{c}', '/x.{format}', '/v1/{id}:cancel'],
  ...['/ÄÖ', '/{}', '/HTTPServer/getURL2', '/a_b/', '//', '/{a}/by/{a}'],
  ...[`/${'long/'.repeat(60)}1`, `/${'long/'.repeat(60)}2`],
];
const IDS = [
  ...['listPets', 'list-pets', 'getPets', 'delete', '', 'index', 'Index', 'a'.repeat(300), 'getABs', 'get_a_bs'],
  ...['bücher', 'listPets', '__proto__', 'getRoot', 'toString', '$', '_', '$_', 'a²', 'HTTPServer', 'httpServer'],
  ...['handlers', 'con', 'Con', 'com1', 'LPT9', 'console'],
];

test('the suite and the server give operations the same names, which are all different', () => {
  const all = METHODS.flatMap((method) => PATHS.map((path) => ({ method, path })));
  for (let shift = 0; shift < IDS.length; shift += 1) {
    const operations = all.map((one, index) => ({
      ...one,
      id: index % 2 === 0 ? IDS[(index / 2 + shift) % IDS.length] : undefined,
    }));
    const names = nameOperations(operations.map((one) => ({ ...one, id: one.id ?? `${one.method} ${one.path}` })));
    const inServer = nameInServer(operations.map((one) => ({ ...one, operationId: one.id })));
    expect(names.map(({ id }) => id)).toEqual(inServer);
    expect(new Set(inServer).size).toBe(operations.length);
  }
});
