// Prints a contract with many operations.
import { makeLargeContract } from '../tests/fixtures/contracts/make-large-contract';

// For a benchmark, or to look at: `ts-node scripts/make-large-contract.ts 500 > large.yaml`
try {
  process.stdout.write(makeLargeContract(Number(process.argv[2])));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
