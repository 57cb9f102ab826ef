import { Source } from '@redocly/openapi-core';
import type { Examination } from '../generate/examine-contract';
import type { Finding } from '../generate/finding';
import { createLocator, findLintAdvice, locatePointer } from '../generate/lint-contract';
import { int64ExampleProblems } from './int64-example-problems';
import { patternAdvice } from './pattern-advice';
import type { Problem } from './problem';
import { parseVersion } from './read-released';

/** What could be better in a contract, and is no reason not to serve it. */
export async function findAdvice(
  source: string,
  file: string,
  { document, mistakes }: Examination,
): Promise<Finding[]> {
  const locate = createLocator(source, file, document);
  const text = new Source(file, source);
  // The shapes of a contract that cannot be served are not known.
  const examples = mistakes.length > 0 ? [] : int64ExampleProblems(source);
  const { version } = document.info;
  const toFinding = ({ pointer, message }: Problem, cause = message): Finding => {
    return { message, cause, locate: () => locatePointer(text, file, pointer, false) };
  };
  return [
    ...(await findLintAdvice(source, file)),
    ...examples.map((one) => toFinding(one, 'int64 examples')),
    ...patternAdvice(document).map((one) => toFinding(one)),
    ...(parseVersion(version) === undefined ? [locate({ node: document.info, key: 'version', message: VERSION })] : []),
  ];
}

const VERSION = 'the version is no semantic one, such as 1.0.0: releases cannot be compared';
