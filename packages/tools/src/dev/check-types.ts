import type { Examination } from '../generate/examine-contract';
import type { Finding } from '../generate/finding';
import { generateFiles } from '../generate/generate';
import { findTypeMistakes } from './compiler';

/**
 * Finds the type errors that the code of a project would have with a contract, as if generated/ were made from it.
 * Finds nothing if a mistake in the contract prevents making types.
 */
export async function checkTypes(examination: Examination, project: string): Promise<Finding[]> {
  const files = await generateFiles(examination).catch((error: unknown) => {
    if (examination.mistakes.length === 0) throw error;
    return undefined;
  });
  if (files === undefined) return [];
  const textsByPath = Object.entries(files).map(([name, text]) => [`generated/${name}`, text]);
  return findTypeMistakes(project, Object.fromEntries(textsByPath) as Record<string, string>);
}
