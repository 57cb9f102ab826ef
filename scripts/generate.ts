import { findStale, writeGenerated } from './generate/write-generated';
import { writeStubs } from './generate/write-stubs';

async function main(args: readonly string[]): Promise<void> {
  if (args.includes('--check')) {
    const stale = Object.keys(await findStale());
    if (stale.length > 0) throw new Error(`generated/ is stale (${stale.join(', ')}): run npm run generate`);
    console.log('generated/ matches openapi.yaml');
  } else {
    const written = await writeGenerated();
    console.log(`generated/: ${written.length === 0 ? 'nothing to change' : `wrote ${written.join(', ')}`}`);
    for (const line of await writeStubs()) console.log(line);
  }
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
