import type { Registry } from 'prom-client';
import type { Check } from './admin/readiness';
import type { BearerVerifier } from './auth/bearer-verifier';
import type { ReadSetting } from './process/config';
import type { AnyHandlers } from './contract/handler/handlers';
import type { Middleware } from './contract/middleware';
import type { ServiceOptions } from './contract/serve-contract';
import type { Log } from './process/log';

/** What main.ts needs from a service. Everything else stays inside src/service.ts. */
export interface Service<Settings> {
  /** The name of the service in the message that it cannot start. */
  readonly title: string;
  readonly example: Example;
  /** Reads the settings that only this service has. */
  readonly readSettings: (setting: ReadSetting) => Settings;
  /** The settings that the log shows at the start, without secrets. */
  readonly describe: (settings: Settings) => Readonly<Record<string, string>>;
  /** The verifier of each security scheme. */
  readonly createVerifiers: (bearer: BearerVerifier['verify'], settings: Settings) => ServiceOptions['verifiers'];
  /** Its own middleware, such as a rate limit. */
  readonly createMiddleware: (settings: Settings) => Middleware;
  /** Whether an error means that the request may be tried again later. */
  readonly isUnavailable: (cause: unknown) => boolean;
  /**
   * Opens what its handlers work with.
   *
   * @param registry for its metrics
   * @param log for warnings to the operators
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

/** The request of the curl line that is printed when no token source is set. */
export interface Example {
  /** The purpose of the request, as it reads after "To". */
  readonly purpose: string;
  readonly path: string;
  /** The options of curl, without the token. */
  readonly options: string;
}
