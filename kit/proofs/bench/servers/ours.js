'use strict';
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { createApp } = require('../../../packages/test-support/plants/dist/app.js');
const { createHandlers } = require('../../../packages/test-support/plants/dist/handlers/index.js');
const { service } = require('../../../packages/test-support/plants/dist/service.js');
const kit = require('../../../packages/server/dist/index.js');
const { logOutcome } = require('../../../packages/server/dist/http/request-log.js');
const { createLog } = require('../../../packages/server/dist/runtime/log.js');
const { tuneProcess } = require('../../../packages/server/dist/runtime/tune-process.js');
const { TOKEN } = require('../workload.js');
const { contract: file, openStore, serve } = require('./serve.js');

// The built service with everything on but its log and its guard against overload, since the others have none, and its
// store, if --store names none.

let report = () => undefined;
if (process.argv.includes('--logging')) {
  const log = createLog('info');
  report = (outcome) => logOutcome(log, outcome);
}

async function main() {
  const contract = kit.loadContract(file, createHash('sha256').update(readFileSync(file)).digest('hex'));
  await tuneProcess();
  const parts = {
    contract,
    render: kit.createRenderer({ ...service, contract }),
    handlers: createHandlers(await openStore()),
    verifiers: service.createVerifiers(kit.createTokenVerifier([TOKEN])),
    isUnavailable: service.isUnavailable,
    docs: false,
    corsOrigins: [],
    report,
  };
  await serve(kit.createServer(await createApp(parts), parts));
}

void main();
