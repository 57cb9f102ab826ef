import type { NewProject } from './create-project';

/** What people are told of a project that was made. */
export function describeProject(folder: string, { name, contract, size }: NewProject): string {
  const { operations } = contract;
  return `${folder} is ${name}, ${String(size)} files, with ${String(operations.length)} handlers to be written: ${operations.map(({ id }) => id).join(', ')}

  cd ${folder} && npm ci && npm test

passes as it is; README.md there says how to go on.`;
}
