import { readFileSync } from 'node:fs';
import { parseConfig } from '../../packages/server/src/runtime/config';

const SOURCES = ['packages/server/src/runtime/config.ts', 'src/service.ts']
  .map((file) => readFileSync(file, 'utf8'))
  .join();

/** The settings of all processes, and those of this service. */
export const SETTINGS = [...SOURCES.matchAll(/\b(?:setting|readSetting)\('([A-Z_]+)'/g)].map(([, name]) =>
  String(name),
);

/** A time as the setting SHUTDOWN_TIMEOUT has it. */
export function toMilliseconds(text: string | undefined): number {
  return parseConfig(() => undefined, { SHUTDOWN_TIMEOUT: text }).shutdownTimeout;
}
