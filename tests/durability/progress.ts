import { createProgress } from '../conformance/teeth/progress';

/** Tells on standard error how far a proof is. */
export const showProgress = createProgress({
  isTTY: process.stderr.isTTY,
  write: (text) => process.stderr.write(text),
});
