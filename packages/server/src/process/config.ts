// Reads all settings from the environment; docs/operating.md describes each.
import type { TokenSources } from '../auth/bearer-verifier';
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
import { parseAudience, parseIssuer, parseScopes, parseTokens, parseTokensFile } from './token-settings';

/** The settings. The README describes each. */
export interface Config<Own> extends LogSettings {
  readonly host: string;
  readonly port: number;
  /** The path of BASE_URL, without a slash at the end; undefined unless it is set. */
  readonly prefix: string | undefined;
  /** The settings that only this service has. */
  readonly own: Own;
  /** The names of the settings that provide tokens. */
  readonly tokenSources: readonly string[];
  /** What `contract-kit dev` gives where there is none of them; it is no setting. */
  readonly devToken: string | undefined;
  /** The values of these settings. */
  readonly identity: Omit<TokenSources, 'scopes'>;
  /** The scopes of listed tokens; `*` for all of the contract. */
  readonly tokenScopes: readonly string[] | '*';
  /** Browser origins that may call it. */
  readonly corsOrigins: Origins;
  /** In bytes. */
  readonly bodyLimit: number;
  readonly adminHost: string;
  readonly adminPort: number;
  /** In milliseconds. */
  readonly shutdownTimeout: number;
  readonly logLevel: string;
  /** Whether to serve the contract as a page too. */
  readonly docs: boolean;
}

/** Reads a setting: the parsed text, or the fallback. An error of the parser is reported with all others. */
export type ReadSetting = <T, F>(name: string, fallback: F, parse: (text: string) => T) => T | F;

/** Settings that cannot be used. The message lists them all. */
export class ConfigError extends Error {}

const TOKEN_SOURCES = ['API_TOKENS', 'API_TOKENS_FILE', 'JWT_ISSUER'];
// An empty value of these is a mistake, not the default.
const NEVER_EMPTY = new Set([...TOKEN_SOURCES, 'JWT_AUDIENCE']);

/**
 * Reads the settings from the environment. An empty setting is not set; for a source of tokens it is a mistake.
 *
 * @param readOwn reads the settings that only this service has
 * @throws ConfigError
 */
export function parseConfig<Own>(
  readOwn: (setting: ReadSetting) => Own,
  env: Readonly<Record<string, string | undefined>> = process.env,
): Config<Own> {
  const problems: string[] = [];
  function setting<T, F>(name: string, fallback: F, parse: (text: string) => T): T | F {
    const text = env[name];
    if (text === undefined || (text === '' && !NEVER_EMPTY.has(name))) return fallback;
    try {
      return parse(text);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
      return fallback;
    }
  }
  function jwtSettings(): TokenSources['jwt'] {
    const issuer = setting('JWT_ISSUER', undefined, parseIssuer);
    const audience = setting('JWT_AUDIENCE', undefined, parseAudience);
    if ((env['JWT_ISSUER'] === undefined) !== (env['JWT_AUDIENCE'] === undefined)) {
      problems.push('JWT_ISSUER and JWT_AUDIENCE must be set together');
    }
    return issuer === undefined || audience === undefined ? undefined : { issuer, audience };
  }
  const tokenSources = TOKEN_SOURCES.filter((name) => env[name] !== undefined);
  const config = {
    host: setting('HOST', '127.0.0.1', parseHost),
    port: setting('PORT', 3000, parsePort),
    prefix: setting('BASE_URL', undefined, parseBaseUrl),
    own: readOwn(setting),
    tokenSources,
    devToken: env['DEV_TOKEN'],
    identity: {
      tokens: setting('API_TOKENS', [], parseTokens),
      tokensFile: setting('API_TOKENS_FILE', undefined, parseTokensFile),
      jwt: jwtSettings(),
    },
    tokenScopes: setting('API_TOKENS_SCOPES', [], parseScopes),
    corsOrigins: setting('CORS_ORIGINS', [], parseOrigins),
    adminHost: setting('ADMIN_HOST', '127.0.0.1', parseHost),
    adminPort: setting('ADMIN_PORT', 3001, parsePort),
    bodyLimit: setting('BODY_LIMIT', parseBytes('1mb'), parseBytes),
    shutdownTimeout: setting('SHUTDOWN_TIMEOUT', parseDuration('10s'), parseDuration),
    logLevel: setting('LOG_LEVEL', 'info', parseLogLevel),
    logFormat: setting('LOG_FORMAT', undefined, parseLogFormat),
    // https://no-color.org: any value but the empty one.
    logColors: setting('NO_COLOR', true, () => false),
    docs: setting('DOCS', true, parseSwitch),
  };
  if (tokenSources.length === 0 && !isLoopback(config.host)) {
    problems.push(
      `HOST ${config.host} can be reached from elsewhere: set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER too`,
    );
  }
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `- ${problem}`).join('\n'));
  return Object.freeze(config);
}
