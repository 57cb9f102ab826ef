import { toExactJson } from '../contract/json/exact-json';
import { parseExactYaml } from '../contract/document/parse-exact-yaml';

/** Converts a contract in YAML to JSON. Integers that a double cannot hold keep their digits. */
export function toContractJson(yaml: Buffer): Buffer {
  return Buffer.from(toExactJson(parseExactYaml(yaml.toString('utf8'))));
}
