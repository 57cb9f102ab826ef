import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';

const EOV = 'express-openapi-validator';

/**
 * Finds the packages that are installed in the place of Ajv.
 *
 * @param folder a project with the server of the kit
 * @returns name and version of what EOV, ajv-formats and ajv-draft-04 get as `ajv`
 */
export function findAjvs(folder: string): string[] {
  const server = createRequire(resolve(folder, 'package.json')).resolve('@contract-kit/server/package.json');
  const eov = createRequire(server).resolve(EOV);
  return [EOV, 'ajv-formats', 'ajv-draft-04'].map((user) => {
    const file = createRequire(createRequire(eov).resolve(user)).resolve('ajv/package.json');
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string };
    return `${name}@${version}`;
  });
}
