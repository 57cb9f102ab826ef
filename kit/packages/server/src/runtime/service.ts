// A service, as a team writes it for runService.
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
  /** The name of the service in the message that it cannot start. */
  readonly title: string;
  /** The request of the curl line that is printed when no token source is set. */
  readonly example: Example;
  /** Reads the settings that only this service has. */
  readonly readSettings: (setting: ReadSetting) => Settings;
  /** The settings that the log shows at the start, without secrets. */
  readonly describe: (settings: Settings) => Readonly<Record<string, string>>;
  /** The verifier of each security scheme. */
  readonly createVerifiers: (bearer: BearerVerifier['verify'], settings: Settings) => ServiceOptions['verifiers'];
  /** The application: middleware of the team, and the operations of the contract. */
  readonly createApp: (options: AppOptions, settings: Settings) => Promise<Express>;
  /** Whether an error means that the request may be tried again later. */
  readonly isUnavailable: (cause: unknown) => boolean;
  /**
   * Opens what the handlers need, such as a store.
   *
   * @param registry for its metrics
   * @param log for warnings to the operators
   * @throws an error of one line, for which `isUnavailable` is true, when it cannot be used
   */
  readonly open: (settings: Settings, registry: Registry, log: Log) => Promise<OpenService>;
}

/** The request of a curl line. */
export interface Example {
  /** The purpose of the request, as it reads after "To". */
  readonly purpose: string;
  readonly path: string;
  /** The options of curl, without the token. */
  readonly options: string;
  /** The option that sends the token, in place of the last TOKEN: by default as a bearer token. */
  readonly credentials?: string;
}

/** An opened service. */
export interface OpenService {
  readonly handlers: AnyHandlers;
  /** For readiness: rejects with the reason why the service cannot work now. */
  readonly check: Check;
  /** Closes what `open` opened, after the last request. */
  readonly close: () => Promise<void>;
}

/** The contract of a service, and what was generated from it. */
export interface ServedContract {
  /** The path of the contract. */
  readonly file: string;
  /** The digest of the contract that generated/ was made from. */
  readonly sha256: string;
}

/** What `createApp` makes an application of. */
export interface AppOptions extends Omit<ServiceOptions, 'validator'> {
  /** Whether the contract is served as a page too. */
  readonly docs: boolean;
  /** Browser origins that may call it. */
  readonly corsOrigins: Origins;
  /** Options of node:http, such as timeouts. */
  readonly http?: ServerOptions;
}
