import { readFileSync } from 'node:fs';
import { findInt64ExampleProblems } from '../src/check/int64-example-problems';
import { parseYaml } from '../../server/src/contract/yaml/parse-yaml';
import { patch } from '../../../tests/support/patch';

const REQUEST = '/paths/~1plants/post/requestBody/content/application~1json';
const OWN = '/components/schemas/NewPlant/allOf/1/properties';
const RETRY_AFTER = '/components/responses/ServiceUnavailable/headers/Retry-After';

// A released contract, which stays as it is.
const source = readFileSync('contracts/1.0.0.yaml', 'utf8');

test.each(['9223372036854775807', '-9223372036854775808', '9007199254740993', '1.0', '0x10'])(
  '%s is an int64',
  (number) => {
    expect(findInt64ExampleProblems(source.replace('example: 1\n', `example: ${number}\n`))).toEqual([]);
  },
);

test.each(['9223372036854775808', '-9223372036854775809', '1e19'])('%s is no int64', (number) => {
  const wrong = source
    .replace('example: 1\n', `example: ${number}\n`)
    .replace('value: { id: 1,', `value: { id: ${number},`);
  expect(findInt64ExampleProblems(wrong)).toEqual(
    [`#${REQUEST}/examples/tagged/value/id`, `#${OWN}/id/example`].map((pointer) => ({
      pointer,
      message: expect.stringMatching(/^-?\d+ is no int64$/) as string,
    })),
  );
});

test('they are found wherever they are', () => {
  const numbers = { type: 'array', items: { type: 'integer', format: 'int64' }, example: [0, 1, 1e19] };
  const changes = {
    [`${OWN}/example`]: { type: 'object', properties: { numbers }, example: { numbers: [1e20] } },
    [`${RETRY_AFTER}/examples`]: { a: { $ref: '#/components/examples/a' } },
    [`${RETRY_AFTER}/schema`]: numbers,
    '/components/examples': { a: { value: [1e21] } },
  };
  const pointers = findInt64ExampleProblems(JSON.stringify(patch(parseYaml(source, 'openapi.yaml'), changes))).map(
    ({ pointer }) => pointer,
  );
  expect(pointers.sort()).toEqual([
    `#${RETRY_AFTER}/examples/a/value/0`,
    `#${RETRY_AFTER}/schema/example/2`,
    `#${OWN}/example/example/numbers/0`,
    `#${OWN}/example/properties/numbers/example/2`,
  ]);
});
