import { findSchemaAdvice } from '@contract-kit/server/contract';
import type { Examination } from '../generate/examine-contract';
import { toPlace } from '../bundle/contract-files';
import type { Finding } from '../generate/finding';
import { createToFinding, findLintAdvice } from '../generate/lint-contract';
import { findInt64ExampleProblems } from './int64-example-problems';
import { findPatternAdvice } from './pattern-advice';
import type { Problem } from './problem';
import { parseVersion } from './read-released';

/** Finds what could be better in a contract, and is no reason not to serve it. */
export async function findAdvice({ bundle, written, mistakes }: Examination): Promise<Finding[]> {
  const toFinding = createToFinding(bundle, written);
  // Schemas can be read only in a contract without mistakes.
  const isServed = mistakes.length === 0;
  const examples = isServed ? findInt64ExampleProblems(bundle.source) : [];
  const schemas = isServed ? findSchemaAdvice(written) : [];
  const { version } = written.info;
  const fromProblem = ({ pointer, message }: Problem, cause = message): Finding => {
    const origin = bundle.trace(pointer);
    return { message, cause, locate: () => toPlace(origin.file, origin.pointer, false) };
  };
  return [
    ...(await findLintAdvice(bundle)),
    ...examples.map((problem) => fromProblem(problem, 'int64 examples')),
    ...findPatternAdvice(written).map((problem) => fromProblem(problem)),
    ...schemas.map(toFinding),
    ...(parseVersion(version) === undefined
      ? [toFinding({ node: written.info, key: 'version', message: VERSION })]
      : []),
  ];
}

const VERSION = 'the version is no semantic one, such as 1.0.0: releases cannot be compared';
