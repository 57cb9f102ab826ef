// What a sample of mutants says of all of them.

/** A mutant, in the order of the plan. */
export interface Outcome {
  readonly file: string;
  /** As Stryker has it. */
  readonly status: string;
}

const DETECTED = ['Killed', 'Timeout'];
const RUN = [...DETECTED, 'Survived'];
const GROUPS = [
  { name: 'contract, server and store', files: /^packages\/(?:contract|server|store)\//, least: 90 },
  { name: 'the rest', files: /^(?!packages\/(?:contract|server|store)\/)/, least: 85 },
];

/** The files of survivors, the most first. */
export interface FileCount {
  readonly file: string;
  readonly tried: number;
  readonly survived: number;
}

/**
 * @param runs the outcomes of each run
 * @returns a line, whether each group has its least share, and where mutants survived
 */
export function summarize(...runs: (readonly Outcome[])[]): { line: string; isEnough: boolean; files: FileCount[] } {
  const isTried = ({ status }: Outcome): boolean => [...RUN, 'NoCoverage'].includes(status);
  const tried = runs.flatMap((outcomes) => {
    // The end of the time cuts what runs. What no test covers is known at once, and is cut there too.
    const last = outcomes.findLastIndex(({ status }) => RUN.includes(status));
    return outcomes.slice(0, last + 1).filter(isTried);
  });
  const groups = GROUPS.flatMap(({ name, files, least }) => {
    const own = tried.filter(({ file }) => files.test(file));
    if (own.length === 0) return [];
    const detected = own.filter(isDetected).length;
    const [score, ...limits] = [detected / own.length, ...toInterval(detected, own.length)].map((share) => 100 * share);
    const interval = limits.map((limit) => limit.toFixed(1)).join(' to ');
    const text = `${name} ${Number(score).toFixed(1)} % of ${String(own.length)} detected (95 % interval: ${interval})`;
    return [{ text, isEnough: Number(score) >= least }];
  });
  const files = [...Map.groupBy(tried, ({ file }) => file)].map(([file, own]) => ({
    file,
    tried: own.length,
    survived: own.filter((one) => !isDetected(one)).length,
  }));
  return {
    line: [...groups.map(({ text }) => text), `${String(tried.length)} of ${String(runs.flat().length)} mutants`].join(
      '; ',
    ),
    isEnough: groups.length > 0 && groups.every(({ isEnough }) => isEnough),
    files: files.filter(({ survived }) => survived > 0).sort((one, other) => other.survived - one.survived),
  };
}

function isDetected({ status }: Outcome): boolean {
  return DETECTED.includes(status);
}

const Z = 1.959964;

/** The 95 % interval of Wilson: E. B. Wilson, Probable inference, 1927. */
export function toInterval(count: number, total: number): [number, number] {
  const share = count / total;
  const middle = share + Z ** 2 / (2 * total);
  const spread = Z * Math.sqrt((share * (1 - share)) / total + Z ** 2 / (4 * total ** 2));
  const scale = 1 + Z ** 2 / total;
  return [(middle - spread) / scale, (middle + spread) / scale];
}
