// Defines the parts of a service that a team writes for runService.
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

/** Everything that a service adds to its contract; see {@link runService}. */
export interface Service<Settings>
  extends Pick<RendererOptions, 'renderError' | 'errorHeaders' | 'statuses'>, ServiceRules {
  /** The name of the service in the message for a failed start. */
  readonly title: string;
  /** The request in the curl command that is printed if no source of tokens is set. */
  readonly example: Example;
  readonly readSettings: (setting: ReadSetting) => Settings;
  /** Returns the settings to log at startup, without secrets. */
  readonly describe: (settings: Settings) => Readonly<Record<string, string>>;
  readonly createVerifiers: (bearer: BearerVerifier['verify'], settings: Settings) => ServiceOptions['verifiers'];
  /** Creates the application, with the team's middleware and the contract's operations. */
  readonly createApp: (options: AppOptions, settings: Settings) => Promise<Express>;
  /** Whether an error means that the client can retry the request later. */
  readonly isUnavailable: (cause: unknown) => boolean;
  /**
   * Opens what the handlers need, such as a store.
   *
   * @param registry the registry for metrics of the service
   * @param log the log for warnings to operators
   * @throws an error for which `isUnavailable` is true, with a one-line message, if something cannot be opened
   */
  readonly open: (settings: Settings, registry: Registry, log: Log) => Promise<OpenService>;
}

/** An example request for a curl command. */
export interface Example {
  /** The purpose of the request, as a phrase that follows "To". */
  readonly purpose: string;
  readonly path: string;
  /** The options for curl, without the token. */
  readonly options: string;
  /** The curl option that sends the token in place of the last TOKEN. By default, it is sent as a bearer token. */
  readonly credentials?: string;
}

/** The result of opening a service. */
export interface OpenService {
  readonly handlers: AnyHandlers;
  /** Rejects with the reason if the service cannot work now. */
  readonly check: Check;
  /** Closes everything that `open` opened. It is called after the last request. */
  readonly close: () => Promise<void>;
}

/** The contract of a service, and the digest that was generated from it. */
export interface ServedContract {
  readonly file: string;
  /** The digest of the contract that generated/ was created from. */
  readonly sha256: string;
}

/** The options for `createApp`. */
export interface AppOptions extends Omit<ServiceOptions, 'validator'> {
  /** Whether to serve the documentation page. */
  readonly docs: boolean;
  /** The origins whose pages are allowed to call the service. */
  readonly corsOrigins: Origins;
  readonly http?: ServerOptions;
}
