import { Source } from '@redocly/openapi-core';
import { findSchemaAdvice } from '@contract-kit/server/contract';
import type { Examination } from '../generate/examine-contract';
import type { Finding } from '../generate/finding';
import { createLocator, findLintAdvice, locatePointer } from '../generate/lint-contract';
import { int64ExampleProblems } from './int64-example-problems';
import { patternAdvice } from './pattern-advice';
import type { Problem } from './problem';
import { parseVersion } from './read-released';

/** What could be better in a contract, and is no reason not to serve it. */
export async function findAdvice(source: string, file: string, { written, mistakes }: Examination): Promise<Finding[]> {
  const locate = createLocator(source, file, written);
  const text = new Source(file, source);
  // The shapes of a contract that cannot be served are not known.
  const isServed = mistakes.length === 0;
  const examples = isServed ? int64ExampleProblems(source) : [];
  const schemas = isServed ? findSchemaAdvice(written) : [];
  const { version } = written.info;
  const toFinding = ({ pointer, message }: Problem, cause = message): Finding => {
    return { message, cause, locate: () => locatePointer(text, file, pointer, false) };
  };
  return [
    ...(await findLintAdvice(source, file)),
    ...examples.map((one) => toFinding(one, 'int64 examples')),
    ...patternAdvice(written).map((one) => toFinding(one)),
    ...schemas.map(locate),
    ...(parseVersion(version) === undefined ? [locate({ node: written.info, key: 'version', message: VERSION })] : []),
  ];
}

const VERSION = 'the version is no semantic one, such as 1.0.0: releases cannot be compared';
