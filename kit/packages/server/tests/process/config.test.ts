import { resolve } from 'node:path';
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { ConfigError, parseConfig, type Config } from '../../src/runtime/config';
import { listen } from '../../src/runtime/create-server';
import { listenOnLoopback } from '@contract-kit/test-support/listen-on-loopback';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();
const tokensFile = join(folder, 'tokens');
const [ONE, TWO] = ['the-first-of-the-tokens', 'the-second-of-the-tokens'];
writeFileSync(tokensFile, `${ONE}\r\n\n  ${TWO}  \n`);
writeFileSync(join(folder, 'empty'), '\n\n');
writeFileSync(join(folder, 'short'), `${ONE}\nsec-ret`);
mkdirSync(join(folder, 'folder'));
execFileSync('mkfifo', [join(folder, 'pipe')]);

/** The parser of a setting that only one service has. */
function parseCount(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error('must be a whole number');
  return Number(text);
}

const readOwn = (): string => 'nothing of its own';

function parse(env: Readonly<Record<string, string>>): Config<string> {
  return parseConfig(readOwn, env);
}

const DEFAULTS = {
  ...{ host: '127.0.0.1', port: 3000, prefix: undefined, own: 'nothing of its own' },
  ...{ tokenSources: [], identity: { tokens: [] }, tokenScopes: [] },
  ...{ adminHost: '127.0.0.1', adminPort: 3001, corsOrigins: [], bodyLimit: 1_048_576, shutdownTimeout: 10_000 },
  ...{ drainDelay: 0, handlerTimeout: 30_000, keepAliveTimeout: 65_000, trustProxy: undefined, workers: 1 },
  ...{ logLevel: 'info', logFormat: undefined, logCaller: true, logColors: true, docs: true, isWorker: false },
};

test('nothing set, or set to nothing', () => {
  expect(parse({})).toEqual(DEFAULTS);
  const empty = { HOST: '', PORT: '', BASE_URL: '', BODY_LIMIT: '', LOG_LEVEL: '', LOG_FORMAT: '', NO_COLOR: '' };
  expect(parse(empty)).toEqual(DEFAULTS);
});

test('the environment of the process is the one that counts', () => {
  expect(parseConfig(readOwn)).toEqual(parseConfig(readOwn, process.env));
});

test('the settings cannot be changed afterwards', () => {
  expect(Object.isFrozen(parse({}))).toBe(true);
});

test.each<[Record<string, string>, Partial<typeof DEFAULTS> | object]>([
  [
    { PORT: '65535', ADMIN_PORT: '0' },
    { port: 65_535, adminPort: 0 },
  ],
  [
    { HOST: '[::1]', ADMIN_HOST: '[::1]' },
    { host: '::1', adminHost: '::1' },
  ],
  [
    { HOST: '127.8.9.10', ADMIN_HOST: '0.0.0.0' },
    { host: '127.8.9.10', adminHost: '0.0.0.0' },
  ],
  [{ HOST: 'localhost' }, { host: 'localhost' }],
  [
    { HOST: 'api.example', API_TOKENS: ONE },
    { host: 'api.example', tokenSources: ['API_TOKENS'] },
  ],
  [{ BASE_URL: 'http://a/%61pi%2F' }, { prefix: '/api%2F' }],
  [{ BASE_URL: 'https://api.example/' }, { prefix: '' }],
  [{ BASE_URL: 'http://api.example:8080/a/b/' }, { prefix: '/a/b' }],
  [{ API_TOKENS: `a.b_c~d+e/f-12==, ${TWO} ,` }, { identity: { tokens: ['a.b_c~d+e/f-12==', TWO] } }],
  [{ API_TOKENS: `A.b_c-d@e:${ONE}` }, { identity: { tokens: [{ name: 'A.b_c-d@e', token: ONE }] } }],
  [{ BODY_LIMIT: '1b' }, { bodyLimit: 1 }],
  [{ BODY_LIMIT: '64KB' }, { bodyLimit: 65_536 }],
  [
    { BODY_LIMIT: '4mb', UPLOAD_LIMIT: '10gb' },
    { bodyLimit: 4_194_304, uploadBudget: 10_737_418_240 },
  ],
  [{ UPLOAD_FOLDER: 'docs' }, { uploadFolder: resolve('docs') }],
  [
    { DRAIN_DELAY: '5s', SHUTDOWN_TIMEOUT: '250ms', HANDLER_TIMEOUT: '0s' },
    { drainDelay: 5_000, shutdownTimeout: 250, handlerTimeout: 0 },
  ],
  [
    { SHUTDOWN_TIMEOUT: '60m', KEEP_ALIVE_TIMEOUT: '620s' },
    { shutdownTimeout: 3_600_000, keepAliveTimeout: 620_000 },
  ],
  [{ TRUST_PROXY: '2' }, { trustProxy: 2 }],
  [{ TRUST_PROXY: 'loopback, 10.0.0.0/8,fd00::/8,::1' }, { trustProxy: ['loopback', '10.0.0.0/8', 'fd00::/8', '::1'] }],
  [
    { LOG_LEVEL: 'silent', LOG_FORMAT: 'json', LOG_CALLER: 'off', NO_COLOR: '0' },
    { logLevel: 'silent', logFormat: 'json', logCaller: false, logColors: false },
  ],
  [{ CORS_ORIGINS: '*' }, { corsOrigins: '*' }],
  [{ CORS_ORIGINS: 'http://[::1]:8080, capacitor://a' }, { corsOrigins: ['http://[::1]:8080', 'capacitor://a'] }],
  [{ DOCS: 'off' }, { docs: false }],
])('the settings of %j', (env, expected) => {
  expect(parse(env)).toMatchObject(expected);
});

test('tokens come from a file, from the environment, or from both', () => {
  const [file, token] = [{ path: tokensFile, tokens: [ONE, TWO] }, 'a-token-of-16-si'];
  const fromFile = parse({ API_TOKENS_FILE: tokensFile });
  expect(fromFile.identity).toMatchObject({ tokens: [], tokensFile: file });
  expect(fromFile.tokenSources).toEqual(['API_TOKENS_FILE']);
  const fromBoth = parse({ API_TOKENS: token, API_TOKENS_FILE: tokensFile });
  expect(fromBoth.identity).toMatchObject({ tokens: [token], tokensFile: file });
  expect(fromBoth.tokenSources).toEqual(['API_TOKENS', 'API_TOKENS_FILE']);
});

test.each([
  ...['https://login.example', 'https://login.example/', 'https://login.example:8443/realms/a', 'http://localhost:1'],
  ...['http://127.0.0.1/', 'http://[::1]:3000'],
])('the issuer of JWTs is kept as it stands: %s', (issuer) => {
  expect(parse({ HOST: '0.0.0.0', JWT_ISSUER: issuer, JWT_AUDIENCE: 'api' })).toMatchObject({
    identity: { jwt: { issuer, audience: 'api' } },
    tokenSources: ['JWT_ISSUER'],
  });
});

describe('a setting that only one service has', () => {
  const readKey = (env: Record<string, string>): string =>
    parseConfig((setting) => setting('KEY', 'none', String), env).own;
  writeFileSync(join(folder, 'key'), 'sec-ret\n');

  test('has a default, and may be in a file', () => {
    expect(readKey({})).toBe('none');
    expect(readKey({ KEY: 'own' })).toBe('own');
    expect(readKey({ KEY: '', KEY_FILE: join(folder, 'key') })).toBe('sec-ret');
    expect(readKey({ KEY: 'own', KEY_FILE: '' })).toBe('own');
  });

  test('can be read again if it is in a file', () => {
    const file = join(folder, 'rotated');
    const readReader = (env: Record<string, string>): (() => string) | undefined =>
      parseConfig((setting) => setting('KEY', undefined, (_, readAgain) => readAgain), env).own;
    writeFileSync(file, 'old');
    const readAgain = readReader({ KEY_FILE: file });
    writeFileSync(file, 'new\n');
    expect(readAgain?.()).toBe('new');
    expect(readReader({ KEY: 'old' })).toBeUndefined();
  });

  test('is a mistake in two places, and in a file that cannot be read or parsed', () => {
    const file = join(folder, 'key');
    expect(() => readKey({ KEY: 'own', KEY_FILE: file })).toThrow('- KEY and KEY_FILE must not be set together');
    expect(() => readKey({ KEY_FILE: folder })).toThrow('- KEY_FILE is not a file');
    // A secret in the place of a path is not told.
    expect(() => readKey({ KEY_FILE: 'sec-ret' })).toThrow(
      /^- KEY_FILE cannot be read: ENOENT: no such file or directory$/,
    );
    const start = (): unknown => parseConfig((setting) => setting('KEY', 0, parseCount), { KEY_FILE: file });
    expect(start).toThrow(/^- KEY must be a whole number$/);
  });
});

test.each([
  ['none', 'cannot be read: ENOENT'],
  ['empty', 'is set, but has no token'],
  ['short', 'has a token (number 2) of fewer than 16 characters'],
  ['folder', 'is not a file'],
  ['pipe', 'is not a file'],
])('refused: a file of tokens that is %s', (name, message) => {
  const start = (): unknown => parse({ API_TOKENS_FILE: join(folder, name) });
  expect(start).toThrow(`API_TOKENS_FILE ${message}`);
  expect(start).not.toThrow('sec-ret');
});

const refuse = (name: string, message: string, ...values: readonly string[]) =>
  values.map((value): readonly [Record<string, string>, string | RegExp] => [{ [name]: value }, `${name} ${message}`]);

test.each<readonly [Record<string, string>, string | RegExp]>([
  ...refuse('HOST', 'must be an address or a host name', 'a b', '[127.0.0.1]'),
  ...refuse('ADMIN_HOST', 'must be an address or a host name', 'a b'),
  [
    { HOST: '0.0.0.0' },
    'HOST 0.0.0.0 can be reached from other machines: set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER, too',
  ],
  [{ HOST: '::' }, 'HOST :: can be reached'],
  [{ HOST: 'localhost.example' }, 'HOST localhost.example can be reached'],
  ...refuse('PORT', 'must be a whole number from 0 to 65535', '65536', '-1', '3000x'),
  ...refuse('ADMIN_PORT', 'must be a whole number', '-1'),
  ...refuse('WORKERS', 'must be a whole number from 1 to 64', '0', '65', 'auto'),
  ...refuse('BASE_URL', 'must be a URL such as https://api.example/v1', 'api.example', 'ftp://api.example'),
  ...refuse('BASE_URL', 'must be', 'https://a:b@api.example', 'https://api.example?x=1', 'https://api.example/#x'),
  ...refuse('API_TOKENS', 'is set, but has no token', '', ' , '),
  ...refuse('API_TOKENS', 'has a token (number 2) with a character that bearer tokens cannot have', `${ONE},sec ret`),
  ...refuse('API_TOKENS', 'has a token (number 1) of fewer than 16 characters', `sec-ret-of-15-s,${ONE}`),
  ...refuse('API_TOKENS', 'has a token (number 1) with a character', `a:sec-ret:${ONE}`),
  ...refuse('API_TOKENS', 'has a token (number 1) of fewer than 16 characters', `${ONE}:sec-ret`),
  ...refuse('API_TOKENS', 'has a token (number 1) whose name is not', `:${ONE}`, `sec ret:${ONE}`, `é:${ONE}`),
  [{ API_TOKENS_FILE: '' }, 'API_TOKENS_FILE '],
  [{ JWT_ISSUER: 'https://login.example' }, 'JWT_ISSUER and JWT_AUDIENCE must be set together'],
  [{ JWT_AUDIENCE: 'api' }, 'JWT_ISSUER and JWT_AUDIENCE must be set together'],
  [{ JWT_ISSUER: '', JWT_AUDIENCE: '' }, /^- JWT_ISSUER must be .*\n- JWT_AUDIENCE must be .*$/],
  ...[
    ...['a.example', 'http://a.example', 'http://localhost.example', 'ftp://localhost', 'https://a:sec@a.example'],
    ...['https://@a.example', 'https://a.example?', 'https://a.example/#a', ' https://a.b'],
  ].map((issuer) => [{ JWT_ISSUER: issuer, JWT_AUDIENCE: 'api' }, 'JWT_ISSUER must be a URL such as'] as const),
  ...['', 'a b', 'a\n', 'é'].map(
    (name) => [{ JWT_ISSUER: 'https://a.b', JWT_AUDIENCE: name }, 'JWT_AUDIENCE must'] as const,
  ),
  ...refuse('BODY_LIMIT', 'must be a size from 1b to 4mb', '0b', '1', '-1mb', '1mb!', '1xb', '1toString'),
  ...refuse('BODY_LIMIT', 'must be at most 4mb, because other requests would wait', '4097kb'),
  ...refuse('UPLOAD_LIMIT', 'must be a size such as 500mb or 10gb', '0gb', '9999999gb'),
  ...refuse('UPLOAD_FOLDER', 'must be a folder in which files can be created: ENOENT', 'none'),
  ...refuse('SHUTDOWN_TIMEOUT', 'must be a time up to 60m', '10', '61m'),
  ...refuse('TRUST_PROXY', 'must be a number of proxies from 1 to 99, or their addresses, such as 10.0.0.0/8', 'true'),
  ...refuse('TRUST_PROXY', 'must be', '0', '100', '1.5', '10.1', '0.0.0.0/0', '10.0.0.0/33', '::/129', '10.0.0.0/8/8'),
  ...refuse('TRUST_PROXY', 'must be', '10.0.0.1,', 'proxy.example'),
  ...refuse('LOG_LEVEL', 'must be trace, debug, info, warn, error, fatal or silent', 'loud'),
  ...refuse('LOG_FORMAT', 'must be text or json', 'pretty', 'TEXT'),
  ...refuse('DOCS', 'must be on or off', 'yes'),
  ...[
    ...['app.example', 'null', 'file://', 'https://app.example/', 'https://app.example/a', 'https://App.example'],
    ...['https://app.example:443', 'https://bücher.example', 'https://a:sec-ret@app.example', 'https://*.app.example'],
    ...['https://app\n.example', 'https://app.example?', 'https://app.example,', 'https://app.example,*'],
  ].flatMap((origins) => refuse('CORS_ORIGINS', 'must be * or origins as browsers send them', origins)),
])('refused: %j', (env, message) => {
  expect(() => parse(env)).toThrow(ConfigError);
  expect(() => parse(env)).toThrow(message);
  expect(() => parse(env)).not.toThrow(/sec.ret/);
});

test('all problems are told at once, also those of settings that only one service has', () => {
  const start = (): unknown =>
    parseConfig((setting) => setting('LAMPS', 1, parseCount), { HOST: '::', PORT: 'x', LAMPS: 'many', DOCS: 'x' });
  expect(start).toThrow(/^- PORT .*\n- LAMPS must be a whole number\n- DOCS .*\n- HOST :: .*$/);
});

test('a service that takes no tokens of the settings may be reached from elsewhere without them', () => {
  const parseFor = (needsTokens: boolean, env = {}): unknown =>
    parseConfig(
      () => 'own',
      { HOST: '0.0.0.0', ...env },
      (own) => own !== 'own' || needsTokens,
    );
  expect(parseFor(false)).toMatchObject({ host: '0.0.0.0', tokenSources: [] });
  expect(() => parseFor(true)).toThrow(/^- HOST 0\.0\.0\.0 can be reached .*$/);
  expect(() => parseFor(false, { PORT: 'x' })).toThrow(/^- PORT .*\n- HOST .*$/);
});

test.each([
  ['pets:read pets:write', ['pets:read', 'pets:write']],
  // A scope may have a comma (RFC 6749 section 3.3).
  [' a,b  c ', ['a,b', 'c']],
  ['*', '*'],
])('the scopes of listed tokens: %j', (text, scopes) => {
  expect(parse({ API_TOKENS_SCOPES: text }).tokenScopes).toEqual(scopes);
});

test('the URL of an address of IPv6 has brackets', async () => {
  const server = createServer();
  await expect(listen(server, 'HOST and PORT', '::1', 0)).resolves.toMatch(/^http:\/\/\[::1\]:\d+$/);
  server.close();
});

test('a host and a port that cannot be listened on are told by the names of their settings', async () => {
  await using taken = await listenOnLoopback(createServer());
  const listening = listen(createServer(), 'HOST and PORT', '127.0.0.1', taken.port);
  await expect(listening).rejects.toThrow(ConfigError);
  await expect(listening).rejects.toThrow(/^- cannot listen on HOST and PORT: .*EADDRINUSE/);
});
