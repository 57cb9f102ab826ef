import type { NewProject } from './create-project';
import { quotePath } from './quote';
import type { Update } from './update-project';

/** Describes a new project for people: what is to be known of its contract, what was made, and what to do next. */
export function describeProject(folder: string, { name, contract, size }: NewProject): string {
  const { files, operations, advice } = contract;
  return `${advice.map((line) => `${line}\n`).join('')}Copied: ${files.join(', ')}
${folder} is ${name}, ${String(size)} files beside generated/ and vendor/. It compiles and starts. Handlers to be written: ${operations.map(({ id }) => id).join(', ')}

  cd ${quotePath(folder)} && npm ci && npm test

passes as it is; README.md there says how to go on.`;
}

export function describeUpdate(folder: string, { written, diffs, changes, problem }: Update): string {
  const parts = [
    changes === '' ? 'The changelogs of the kit say nothing new.' : `The changes of the kit:\n\n${changes.trim()}`,
    `Written: ${[...written, 'vendor/', 'package-lock.json'].join(', ')}`,
    ...(diffs.length === 0 ? [] : [`Changed by you, so left as it is. The kit would write:\n\n${diffs.join('\n')}`]),
    problem === undefined
      ? `It compiles and starts. Next:\n\n  cd ${quotePath(folder)} && npm ci && npm test`
      : `With this kit ${problem}`,
  ];
  return parts.join('\n\n');
}
