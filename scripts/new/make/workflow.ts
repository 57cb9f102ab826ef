import { readFileSync } from 'node:fs';
import { parseDocument, type YAMLMap, type YAMLSeq } from 'yaml';

const PROOFS = ['jobs', 'prove', 'strategy', 'matrix', 'proof'];
const STEPS = ['jobs', 'prove', 'steps'];

/**
 * The workflow of a new project: that of this one without the proofs that stay here, and the steps that only these need.
 *
 * @param scripts those that the new project has
 */
export function makeWorkflow(file: string, scripts: readonly string[]): string {
  const document = parseDocument(readFileSync(file, 'utf8'));
  const proofs = document.getIn(PROOFS) as YAMLSeq<YAMLMap>;
  const isThere = (command: unknown): boolean => {
    const [, name = 'test'] = /^npm run ([\w:]+)$/.exec(String(command)) ?? [];
    return scripts.includes(name);
  };
  proofs.items = proofs.items.filter((proof) => isThere(proof.get('run')));
  const steps = document.getIn(STEPS) as YAMLSeq<YAMLMap>;
  steps.items = steps.items.filter((step) => {
    const [, key, value] = /matrix\.proof\.(\w+)(?: == '([\w-]+)')?/.exec(String(step.get('if'))) ?? [];
    if (key === undefined) return true;
    return proofs.items.some((proof) => (value === undefined ? proof.has(key) : proof.get(key) === value));
  });
  return document.toString({ lineWidth: 0 });
}
