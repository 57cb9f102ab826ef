// Reads all settings from the environment; docs/operating.md describes each.
import { isLoopback } from '../auth/loopback';
import type { Origins } from './cors';
import type { LogSettings } from './log';
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

export interface Config<Own> extends LogSettings, ConfiguredTokens {
  readonly host: string;
  readonly port: number;
  /** The path of BASE_URL, without a slash at the end; undefined unless it is set. */
  readonly prefix: string | undefined;
  /** The settings that only this service has. */
  readonly own: Own;
  /** The names of the settings that provide tokens. */
  readonly tokenSources: readonly string[];
  /** The token that `contract-kit dev` gives its servers; no setting. */
  readonly devToken: string | undefined;
  /** Browser origins that may call it. */
  readonly corsOrigins: Origins;
  /** In bytes. */
  readonly bodyLimit: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** In milliseconds. */
  readonly shutdownTimeout: number;
  readonly logLevel: string;
  readonly docs: boolean;
}

/** Reads a setting: the parsed text, or the fallback. An error of the parser is reported with all others. */
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
): Config<Own> {
  const problems: string[] = [];
  // Returns the fallback also if the text cannot be parsed, which is a problem to report.
  function readSetting<T, F>(name: string, fallback: F, parse: (text: string) => T): T | F {
    const text = env[name];
    if (text === undefined || (text === '' && !MISTAKEN_IF_EMPTY.has(name))) return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return fallback;
    }
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
    own: readOwn(readSetting),
    tokenSources,
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
