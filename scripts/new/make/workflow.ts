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
  const names = proofs.items.map((proof) => String(proof.get('name')));
  const steps = document.getIn(STEPS) as YAMLSeq<YAMLMap>;
  steps.items = steps.items.filter((step) => {
    const [, proof] = /matrix\.proof\.name == '([\w-]+)'/.exec(String(step.get('if'))) ?? [];
    return proof === undefined || names.includes(proof);
  });
  return document.toString({ lineWidth: 0 });
}
