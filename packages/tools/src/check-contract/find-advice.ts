import { findSchemaAdvice } from '@contract-kit/server/contract';
import type { Examination } from '../generate/examine-contract';
import { toPlace } from '../bundle/contract-files';
import type { Finding } from '../generate/finding';
import { createLocator, findLintAdvice } from '../generate/lint-contract';
import { int64ExampleProblems } from './int64-example-problems';
import { patternAdvice } from './pattern-advice';
import type { Problem } from './problem';
import { parseVersion } from './read-released';

/** What could be better in a contract, and is no reason not to serve it. */
export async function findAdvice({ bundle, written, mistakes }: Examination): Promise<Finding[]> {
  const locate = createLocator(bundle, written);
  // The shapes of a contract that cannot be served are not known.
  const isServed = mistakes.length === 0;
  const examples = isServed ? int64ExampleProblems(bundle.source) : [];
  const schemas = isServed ? findSchemaAdvice(written) : [];
  const { version } = written.info;
  const toFinding = ({ pointer, message }: Problem, cause = message): Finding => {
    const origin = bundle.trace(pointer);
    return { message, cause, locate: () => toPlace(origin.file, origin.pointer, false) };
  };
  return [
    ...(await findLintAdvice(bundle)),
    ...examples.map((one) => toFinding(one, 'int64 examples')),
    ...patternAdvice(written).map((one) => toFinding(one)),
    ...schemas.map(locate),
    ...(parseVersion(version) === undefined ? [locate({ node: written.info, key: 'version', message: VERSION })] : []),
  ];
}

const VERSION = 'the version is no semantic one, such as 1.0.0: releases cannot be compared';
