import type { IncomingMessage, Server } from 'node:http';
import type { StartParts } from '../../../../../tests/support/start-app';
import type { PlantStore } from '../../../../../src/store/plant-store';

/** A reply as the app is about to send it. */
export interface SentReply {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  /** Sent as it stands, with whatever length its headers tell. */
  readonly isFramed?: boolean;
}

type Header = readonly [name: string, value: string];

/** One thing that is wrong with the server, put round the real app. */
export interface Fault {
  readonly name: string;
  /** Other parts than the app's own. */
  readonly parts?: Partial<StartParts>;
  /** Handlers that fail on purpose do not. */
  readonly hidesFailures?: true;
  readonly store?: (store: PlantStore) => PlantStore;
  /** Changes the head of a request before the app sees it; false keeps it from the app altogether. */
  readonly head?: (req: IncomingMessage) => boolean | undefined;
  /** Changes what the app reads as the body. */
  readonly body?: (body: Buffer) => Buffer;
  readonly reply?: (reply: SentReply, request: SeenRequest) => SentReply;
  readonly server?: (server: Server) => void;
}

/** A request as the fault sees it when the reply is made. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly body: Buffer;
}
