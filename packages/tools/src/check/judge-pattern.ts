// Judges how the time of a pattern grows with the text that it is tried on.
// This file of recheck has JavaScript alone: its main file can start Java, a native program or a worker.
import { checkSync, type SafeDiagnostics, type VulnerableDiagnostics } from 'recheck/lib/browser.js';

/** Undefined if that would take too long, or recheck cannot read the pattern. */
type Verdict = SafeDiagnostics | VulnerableDiagnostics | undefined;

export type PatternJudge = (pattern: string, flags: string) => Verdict;

// recheck computes how a small pattern grows, and tries texts on any other. These limits count its steps, so that every
// machine finds the same.
const LIMITS = {
  maxNFASize: 1_000,
  attackLimit: 1_000_000,
  attackTimeout: null,
  incubationLimit: 10_000,
  incubationTimeout: null,
  maxAttackStringSize: 30_000,
  maxIteration: 2,
  maxInitialGenerationSize: 100,
  maxGenerationSize: 20,
  crossoverSize: 10,
  mutationSize: 20,
} as const;

// Hardly a pattern takes as long. recheck looks at the clock between its steps, which is some time later.
const MILLISECONDS = { perPattern: 750, perContract: 20_000 };

/** Creates a function that judges the patterns of one contract, each once, until the time for them is over. */
export function createPatternJudge({ perPattern, perContract } = MILLISECONDS): PatternJudge {
  const verdicts = new Map<string, Verdict>();
  let left = perContract;
  return (pattern, flags) => {
    if (verdicts.has(pattern)) return verdicts.get(pattern);
    const start = performance.now();
    const verdict = left > 0 ? judge(pattern, flags, Math.ceil(Math.min(left, perPattern))) : undefined;
    left -= performance.now() - start;
    verdicts.set(pattern, verdict);
    return verdict;
  };
}

// recheck takes whole milliseconds.
function judge(pattern: string, flags: string, timeout: number): Verdict {
  try {
    const diagnostics = checkSync(pattern, flags, { ...LIMITS, timeout });
    return diagnostics.status === 'unknown' ? undefined : diagnostics;
  } catch {
    // Some patterns overflow the stack of recheck.
    return undefined;
  }
}
