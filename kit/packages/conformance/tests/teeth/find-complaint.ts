import { titleOf, type Case } from '../../src/generators/case';
import type { Oracle } from '../../src/oracle/checks';
import { createCoverage, type Coverage } from '../../src/oracle/coverage';
import { findUncovered } from '../../src/report/uncovered';
import { isPossible, runCase } from '../../src/exchange/run-case';
import type { Target } from '../../src/exchange/exchange';
import type { Suite } from '../../src/suite';
import type { Found } from './proof';

/** As the suite is run on this repository's own contract. */
export const OPTIONS = { bodyLimit: 1024 ** 2, marker: 'conformance', level: 'robust' } as const;

// Some replies take their time, since the server waits for what a client may still send.
const AT_ONCE = 16;

/** A server, of which the situations are started when they are needed. */
export interface Candidate {
  readonly target: Target;
  readonly startSituations: () => Promise<Pick<Target, 'situations'>>;
}

/** In which order cases are run: those first that found something before. */
export interface Order {
  readonly arrange: (cases: readonly Case[]) => Case[];
  readonly praise: (one: Case) => void;
}

export function createOrder(): Order {
  const finds = new Map<string, number>();
  const findsOf = (one: Case): number => finds.get(titleOf(one)) ?? 0;
  return {
    arrange: (cases) => cases.toSorted((left, right) => findsOf(right) - findsOf(left)),
    praise: (one) => finds.set(titleOf(one), findsOf(one) + 1),
  };
}

/** The first thing that a suite says against a server; undefined when it is content. */
export async function findComplaint(
  makeSuite: () => Suite,
  candidate: Candidate,
  order: Order,
): Promise<string | undefined> {
  try {
    const suite = makeSuite();
    return suite.cases.length === 0 ? 'no cases are left' : await runSuite(suite, candidate, order);
  } catch (error) {
    return `it cannot be judged: ${(error as Error).message}`;
  }
}

/** What the first of the suites, the mildest, says that says anything. */
export async function findMildest(
  suites: readonly Suite[],
  complain: (suite: Suite) => Promise<string | undefined>,
): Promise<Found> {
  for (const suite of suites) {
    const complaint = await complain(suite);
    if (complaint !== undefined) return { complaint, found: suite.level };
  }
  return { complaint: undefined };
}

async function runSuite(
  suite: Suite,
  { target, startSituations }: Candidate,
  order: Order,
): Promise<string | undefined> {
  const secrets = { ...secretsOf(suite, target), ...target.secrets };
  const oracle = suite.oracleFor(secrets);
  // A suite may be used more than once.
  const coverage = createCoverage(suite.model);
  const tools = { coverage, oracle, order, target: { ...target, secrets } };
  const complaint = await runCases(
    tools,
    suite.cases.filter(({ situation }) => situation === undefined),
  );
  if (complaint !== undefined) return complaint;
  const { situations } = await startSituations();
  const rest = suite.cases.filter(({ situation }) => situation !== undefined);
  const late = await runCases({ ...tools, target: { ...tools.target, ...(situations && { situations }) } }, rest);
  // The level `contract` leaves cases out.
  const [gap] = suite.level === 'robust' ? findUncovered(coverage.list()) : [];
  return late ?? (gap && `${gap.operation} ${gap.name}: produced by no case`);
}

interface Tools {
  readonly coverage: Coverage;
  readonly oracle: Oracle;
  readonly order: Order;
  readonly target: Target;
}

async function runCases(tools: Tools, cases: readonly Case[]): Promise<string | undefined> {
  const arranged = tools.order.arrange(cases);
  for (const batch of toBatches(arranged)) {
    const complaints = await Promise.all(batch.map((one) => run(tools, one)));
    const complaint = complaints.find((each) => each !== undefined);
    if (complaint !== undefined) return complaint;
  }
  return undefined;
}

async function run({ coverage, oracle, order, target }: Tools, one: Case): Promise<string | undefined> {
  if (!isPossible(target, one)) return `${titleOf(one)}: cannot be brought about`;
  const result = await runCase(oracle, target, one);
  coverage.record(result);
  const [finding] = result.findings;
  if (finding === undefined) return undefined;
  order.praise(one);
  return `${titleOf(one)}: ${finding.text}`;
}

// What is accepted leaves a trace, by which what is refused beside it would be judged.
function toBatches(cases: readonly Case[]): Case[][] {
  const single = cases.filter(({ expect }) => expect === 'accepted').map((one) => [one]);
  const refused = cases.filter(({ expect }) => expect !== 'accepted');
  const batches = Array.from({ length: Math.ceil(refused.length / AT_ONCE) }, (_unused, index) =>
    refused.slice(index * AT_ONCE, (index + 1) * AT_ONCE),
  );
  // One of each in turn, so that whoever finds something is not behind all the others.
  return Array.from({ length: Math.max(single.length, batches.length) }, (_unused, index) =>
    [single[index], batches[index]].filter((batch) => batch !== undefined),
  ).flat();
}

// A scheme that the server does not know gets the secret that it does know.
function secretsOf({ model }: Suite, { secrets }: Target): Record<string, string> {
  const schemes = model.operations.flatMap(({ securityRequirements }) => securityRequirements.flat());
  const [secret = 'secret'] = Object.values(secrets);
  return Object.fromEntries(schemes.map(({ name }) => [name, secret]));
}
