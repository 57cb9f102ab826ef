// Writes the bill of materials of the service.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { makeSbom } from './make-sbom';

const FILE = 'reports/sbom.json';
// As in the Dockerfile: beside the tools, npm counts what they need, too.
const RUNTIME = ['packages/server/package.json', 'packages/store/package.json'];

// `npm sbom --omit dev` leaves out what a development dependency needs too (npm/cli#7909), so there are none here.
const manifest = JSON.parse(readFileSync('package.json', 'utf8')) as { name: string };
const sbom = makeSbom({ ...manifest, devDependencies: undefined }, RUNTIME);
mkdirSync('reports', { recursive: true });
writeFileSync(FILE, `${JSON.stringify(sbom, null, 2)}\n`);
console.log(`${FILE} names ${String(sbom.components.length)} packages that the service runs with`);
