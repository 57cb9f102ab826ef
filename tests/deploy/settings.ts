import { readFileSync } from 'node:fs';

const SOURCES = ['packages/server/src/process/config.ts', 'src/service.ts']
  .map((file) => readFileSync(file, 'utf8'))
  .join();

/** The settings of all processes, and those of this service. */
export const SETTINGS = [...SOURCES.matchAll(/\b(?:setting|readSetting)\('([A-Z_]+)'/g)].map(([, name]) =>
  String(name),
);
