// What the services need of their contracts and of what they keep.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Ajv2020, type Options } from 'ajv/dist/2020';
import { parse } from 'yaml';
import { assertRight } from './http';

export type Item = Readonly<Record<string, unknown>>;

/** Refuses what does not fit a schema of a contract in this folder. */
export function createToItem(name: string, options: Options = {}, status = 400) {
  const { components } = parse(readFileSync(`packages/conformance/tests/team-bugs/${name}.yaml`, 'utf8')) as Item;
  const ajv = new Ajv2020({ strict: false, validateFormats: false, ...options }).addSchema({ $id: name, components });
  return (value: unknown, schema: string): Item => {
    assertRight(ajv.validate(`${name}#/components/schemas/${schema}`, value), status, ajv.errorsText());
    return value as Item;
  };
}

export function etagOf(item: Item): string {
  return `"${createHash('sha1').update(JSON.stringify(item)).digest('hex')}"`;
}

export function find<Of>(items: ReadonlyMap<unknown, Of>, id: unknown): Of {
  const item = items.get(id);
  assertRight(item !== undefined, 404, 'there is nothing');
  return item;
}
