import { parseConfig } from '../../packages/server/src/process/config';

/** A time as the setting SHUTDOWN_TIMEOUT has it. */
export function toMilliseconds(text: string | undefined): number {
  return parseConfig(() => undefined, { SHUTDOWN_TIMEOUT: text }).shutdownTimeout;
}
