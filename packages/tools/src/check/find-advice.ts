import { findSchemaAdvice } from '@contract-kit/server/contract';
import type { Examination } from '../generate/examine-contract';
import { toPlace } from '../bundle/contract-files';
import type { Finding } from '../generate/finding';
import { createToFinding, findLintAdvice } from '../generate/lint-contract';
import { findCostAdvice } from './cost-advice';
import { findInt64ExampleProblems } from './int64-example-problems';
import { findPatternAdvice } from './pattern-advice';
import type { Problem } from './problem';
import { parseVersion } from './read-released';

/** Finds what could be better in a contract, and is no reason not to serve it. */
export async function findAdvice({ bundle, written, mistakes }: Examination): Promise<Finding[]> {
  const toFinding = createToFinding(bundle, written);
  // Schemas can be read only in a contract without mistakes.
  const isReadable = mistakes.length === 0;
  const int64Problems = isReadable ? findInt64ExampleProblems(bundle.source) : [];
  const schemaAdvice = isReadable ? [...findSchemaAdvice(written), ...findPatternAdvice(written)] : [];
  const costAdvice = isReadable ? findCostAdvice(written) : [];
  const { version } = written.info;
  // All findings of one cause are printed as one line.
  const fromProblem = ({ pointer, message }: Problem): Finding => {
    const origin = bundle.trace(pointer);
    return { message, cause: 'int64 examples', locate: () => toPlace(origin.file, origin.pointer, 'value') };
  };
  return [
    ...(await findLintAdvice(bundle)),
    ...int64Problems.map(fromProblem),
    ...schemaAdvice.map(toFinding),
    ...costAdvice.map((advice) => ({ ...toFinding(advice), cause: advice.cause })),
    ...(parseVersion(version) === undefined
      ? [toFinding({ node: written.info, key: 'version', message: NO_SEMANTIC_VERSION })]
      : []),
  ];
}

const NO_SEMANTIC_VERSION = 'the version is no semantic one, such as 1.0.0: releases cannot be compared';
