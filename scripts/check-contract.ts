import { checkContract } from './check-contract/check-contract';

const CONTRACT = 'openapi.yaml';

async function main(): Promise<void> {
  const { problems, released } = await checkContract(CONTRACT, 'contracts');
  if (problems.length > 0) throw new Error(problems.join('\n'));
  console.log(`${CONTRACT} breaks nothing of ${released}`);
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
