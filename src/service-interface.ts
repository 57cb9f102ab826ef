import type { Registry } from 'prom-client';
import type { Check } from './admin/readiness';
import type { BearerVerifier } from './auth/bearer-verifier';
import type { ReadSetting } from './process/config';
import type { AnyHandlers } from './contract/handler/handlers';
import type { Middleware } from './contract/middleware';
import type { ServiceOptions } from './contract/serve-contract';
import type { Log } from './process/log';

/** What stands behind the contract, as far as those know it who serve it. All else that is the service's own is its. */
export interface Service<Settings> {
  /** For people: what it is that cannot start. */
  readonly title: string;
  readonly example: Example;
  /** Reads the settings that only this service has. */
  readonly readSettings: (setting: ReadSetting) => Settings;
  /** What the log tells of them at the start; nothing that is secret. */
  readonly describe: (settings: Settings) => Readonly<Record<string, string>>;
  /** Whose credentials count, by security scheme. */
  readonly createVerifiers: (bearer: BearerVerifier['verify'], settings: Settings) => ServiceOptions['verifiers'];
  /** Its own middleware, such as a rate limit. */
  readonly createMiddleware?: (settings: Settings) => Middleware;
  /** Whether an error says that what it came from may be tried again later. */
  readonly isUnavailable: (cause: unknown) => boolean;
  /**
   * Opens what its handlers work with.
   *
   * @param registry for its metrics
   * @param log for what those who run it should look at
   * @throws an error that `isUnavailable` knows, one line, when that cannot be used
   */
  readonly open: (settings: Settings, registry: Registry, log: Log) => Promise<OpenService>;
}

/** A service that can be used. */
export interface OpenService {
  readonly handlers: AnyHandlers;
  /** Rejects, for readiness, with why it cannot do its work now. */
  readonly check: Check;
  /** Ends the use of what its handlers work with, after the last request. */
  readonly close: () => Promise<void>;
}

/** A request to try, as whoever starts it without a token source is shown it. */
export interface Example {
  /** What it is for, after "To". */
  readonly purpose: string;
  readonly path: string;
  /** Those of curl, but for the token. */
  readonly options: string;
}
