import { execFileSync } from 'node:child_process';

// Since Node 24 url.parse, which the validator calls for each request, looks up its caller until it has warned once.
test('url.parse is done with its warning before the first request, and nobody saw it', () => {
  const script = `
    require('./dist/contract/validator.js').createValidator({ paths: {} }, {});
    process.on('warning', ({ code }) => console.log(code));
    require('node:url').parse('/');
    console.log(process.noDeprecation);`;
  expect(execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' })).toBe('false\n');
});
