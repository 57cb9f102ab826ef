import { readFileSync } from 'node:fs';

/** The settings of src/config.ts. */
export const SETTINGS = [...readFileSync('src/config.ts', 'utf8').matchAll(/setting\('([A-Z_]+)'/g)].map(([, name]) =>
  String(name),
);
