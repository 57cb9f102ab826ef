// Reads all settings from the environment; docs/operating.md describes each.
import { isLoopback } from '../auth/loopback';
import { readPlainFile } from '../auth/tokens';
import {
  parseBaseUrl,
  parseBytes,
  parseDuration,
  parseHost,
  parseLogFormat,
  parseLogLevel,
  parseOrigins,
  parsePort,
  parseSwitch,
} from './settings';
import {
  parseAudience,
  parseIssuer,
  parseScopes,
  parseTokens,
  parseTokensFile,
  type ConfiguredTokens,
} from './token-settings';

/** All settings. `own` are those that only this service has; sizes are in bytes, times in milliseconds. */
export type Config<Own> = ReturnType<typeof parseConfig<Own>>;

/** Reads a setting, or the file that `NAME_FILE` names: the parsed text, or the fallback. All errors are reported together. */
export type ReadSetting = <T, F>(name: string, fallback: F, parse: (text: string) => T) => T | F;

/** Settings that cannot be used. The message lists them all. */
export class ConfigError extends Error {}

const TOKEN_SOURCES = ['API_TOKENS', 'API_TOKENS_FILE', 'JWT_ISSUER'];
// An empty value of these is a mistake, not the default.
const MISTAKEN_IF_EMPTY = new Set([...TOKEN_SOURCES, 'JWT_AUDIENCE']);

/** An empty setting is not set; for a source of tokens it is a mistake. @throws ConfigError with all mistakes */
export function parseConfig<Own>(
  readOwn: (setting: ReadSetting) => Own,
  env: Readonly<Record<string, string | undefined>> = process.env,
) {
  const problems: string[] = [];
  // Returns the fallback also if the text cannot be parsed, which is a problem to report.
  function readSetting<T, F>(name: string, fallback: F, parse: (text: string) => T, text = env[name]): T | F {
    if (text === undefined || (text === '' && !MISTAKEN_IF_EMPTY.has(name))) return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return fallback;
    }
  }
  // A container's secrets are files: `NAME_FILE` names one with the value of a setting that only this service has.
  function readOwnSetting<T, F>(name: string, fallback: F, parse: (text: string) => T): T | F {
    const text = readSetting(`${name}_FILE`, undefined, (path) => readPlainFile(path).text.trim());
    if (text !== undefined && env[name]) problems.push(`${name} and ${name}_FILE must not be set together`);
    return readSetting(name, fallback, parse, text);
  }
  function readJwtSettings(): ConfiguredTokens['identity']['jwt'] {
    const issuer = readSetting('JWT_ISSUER', undefined, parseIssuer);
    const audience = readSetting('JWT_AUDIENCE', undefined, parseAudience);
    if ((env['JWT_ISSUER'] === undefined) !== (env['JWT_AUDIENCE'] === undefined)) {
      problems.push('JWT_ISSUER and JWT_AUDIENCE must be set together');
    }
    return issuer === undefined || audience === undefined ? undefined : { issuer, audience };
  }
  const tokenSources = TOKEN_SOURCES.filter((name) => env[name] !== undefined);
  const config = {
    host: readSetting('HOST', '127.0.0.1', parseHost),
    port: readSetting('PORT', 3000, parsePort),
    prefix: readSetting('BASE_URL', undefined, parseBaseUrl),
    own: readOwn(readOwnSetting),
    tokenSources,
    // `contract-kit dev` gives it to its servers; it is no setting.
    devToken: env['DEV_TOKEN'],
    identity: {
      tokens: readSetting('API_TOKENS', [], parseTokens),
      tokensFile: readSetting('API_TOKENS_FILE', undefined, parseTokensFile),
      jwt: readJwtSettings(),
    },
    tokenScopes: readSetting('API_TOKENS_SCOPES', [], parseScopes),
    corsOrigins: readSetting('CORS_ORIGINS', [], parseOrigins),
    adminHost: readSetting('ADMIN_HOST', '127.0.0.1', parseHost),
    adminPort: readSetting('ADMIN_PORT', 3001, parsePort),
    bodyLimit: readSetting('BODY_LIMIT', parseBytes('1mb'), parseBytes),
    shutdownTimeout: readSetting('SHUTDOWN_TIMEOUT', parseDuration('10s'), parseDuration),
    handlerTimeout: readSetting('HANDLER_TIMEOUT', parseDuration('30s'), parseDuration),
    logLevel: readSetting('LOG_LEVEL', 'info', parseLogLevel),
    logFormat: readSetting('LOG_FORMAT', undefined, parseLogFormat),
    // https://no-color.org: any value but the empty one.
    logColors: readSetting('NO_COLOR', true, () => false),
    docs: readSetting('DOCS', true, parseSwitch),
  };
  // Without a source, the service makes a token of its own, for this machine only.
  if (tokenSources.length === 0 && !isLoopback(config.host)) {
    problems.push(
      `HOST ${config.host} can be reached from elsewhere: set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER too`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `- ${problem}`).join('\n'));
  return Object.freeze(config);
}
