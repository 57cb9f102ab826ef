import { readFileSync } from 'node:fs';
import type { Document } from '../../src/contract/document/document';
import { parseYaml } from '../../src/contract/document/parse-yaml';
import { lintContract } from '../generate/lint-contract';
import { int64ExampleProblems } from './int64-example-problems';
import type { Problem } from './problem';
import { readReleased } from './read-released';
import { releaseProblems } from './release-problems';

/**
 * Everything that is wrong with a contract by itself, and beside the newest released one.
 *
 * @param file the contract
 * @param folder the released contracts
 * @returns one line a problem, and the file of the released contract
 * @throws Error when one of them cannot be read
 */
export async function checkContract(file: string, folder: string): Promise<{ problems: string[]; released: string }> {
  const source = readFileSync(file, 'utf8');
  const document = parseYaml(source, file) as Document;
  const released = readReleased(folder);
  const mistakes = await lintContract(source, file);
  try {
    const problems: Problem[] = [...int64ExampleProblems(source), ...releaseProblems(document, released)];
    const lines = problems.map(({ pointer, message }) => `${file}${pointer} ${message}`);
    return { problems: [...mistakes, ...lines], released: released.file };
  } catch (error) {
    // What is no OpenAPI cannot be judged further.
    if (mistakes.length === 0) throw error;
    return { problems: mistakes, released: released.file };
  }
}
