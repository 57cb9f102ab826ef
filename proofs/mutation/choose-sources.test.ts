const { chooseSources } = jest.requireActual<{
  chooseSources: (half: 'service' | 'tools', list: string) => string[];
}>('./choose-tests.js');

test('each half of the mutation test gets the sources of its own alone, whatever is chosen', () => {
  const list = 'packages/{server,tools}/src/cli.ts,src/*.ts,!src/main.ts';
  expect(chooseSources('service', list).sort()).toEqual(['src/app.ts', 'src/service.ts']);
  expect(chooseSources('tools', list)).toEqual(['packages/tools/src/cli.ts']);
});

test('a file of which the mutation test changes some lines belongs to its half', () => {
  const list = 'src/app.ts:1-10,packages/store/src/open-store.ts:5:4-6:4';
  expect(chooseSources('service', list)).toEqual(list.split(','));
  expect(chooseSources('tools', list)).toEqual([]);
});
