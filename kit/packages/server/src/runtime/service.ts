// The parts of a service that a team writes for runService.
import type { ServerOptions } from 'node:http';
import type { Express } from 'express';
import type { Registry } from 'prom-client';
import type { Check } from '../admin/admin-server';
import type { BearerVerifier } from '../auth/bearer-verifier';
import type { AnyHandlers } from '../pipeline/handler';
import type { RendererOptions } from '../errors/create-renderer';
import type { ServiceOptions } from '../pipeline/serve-contract';
import type { ReadSetting } from './config';
import type { Origins } from './cors';
import type { Log } from '../http/request-log';

type ServiceRules = Pick<
  ServiceOptions,
  'readOnly' | 'operationTimeouts' | 'mode' | 'undeclaredQuery' | 'operationRules' | 'formats'
>;

/** What a service adds to its contract, for {@link runService}. */
export interface Service<Settings>
  extends Pick<RendererOptions, 'renderError' | 'errorHeaders' | 'statuses'>, ServiceRules {
  /** The service's name in the message that it cannot start. */
  readonly title: string;
  /** The request of the curl line that is printed when no token source is set. */
  readonly example: Example;
  /** Reads the settings that only this service has. */
  readonly readSettings: (setting: ReadSetting) => Settings;
  /** Returns the settings that are logged at the start, without secrets. */
  readonly describe: (settings: Settings) => Readonly<Record<string, string>>;
  /** Creates the verifier for each security scheme. */
  readonly createVerifiers: (bearer: BearerVerifier['verify'], settings: Settings) => ServiceOptions['verifiers'];
  /** Creates the application, with the team's middleware and the contract's operations. */
  readonly createApp: (options: AppOptions, settings: Settings) => Promise<Express>;
  /** Whether an error means that the client can retry the request later. */
  readonly isUnavailable: (cause: unknown) => boolean;
  /**
   * Opens what the handlers need, such as a store.
   *
   * @param registry for its metrics
   * @param log for warnings to the operators
   * @throws an error with a message of one line, for which `isUnavailable` is true, if it cannot be used
   */
  readonly open: (settings: Settings, registry: Registry, log: Log) => Promise<OpenService>;
}

/** The request of a curl line. */
export interface Example {
  /** The request's purpose, in words that follow "To". */
  readonly purpose: string;
  readonly path: string;
  /** The options of curl, without the token. */
  readonly options: string;
  /** The option that sends the token, which replaces the last TOKEN. By default, it is sent as a bearer token. */
  readonly credentials?: string;
}

/** An opened service. */
export interface OpenService {
  readonly handlers: AnyHandlers;
  /** Checks readiness: rejects with the reason why the service cannot work now. */
  readonly check: Check;
  /** Closes what `open` opened, after the last request. */
  readonly close: () => Promise<void>;
}

/** A service's contract, and what was generated from it. */
export interface ServedContract {
  /** The path of the contract. */
  readonly file: string;
  /** The digest of the contract from which generated/ was generated. */
  readonly sha256: string;
}

/** The options from which `createApp` creates an application. */
export interface AppOptions extends Omit<ServiceOptions, 'validator'> {
  /** Whether the contract is also served as a page. */
  readonly docs: boolean;
  /** The browser origins whose pages may call it. */
  readonly corsOrigins: Origins;
  /** Options of node:http, such as timeouts. */
  readonly http?: ServerOptions;
}
