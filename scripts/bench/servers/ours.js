'use strict';
const { createApp } = require('../../../dist/app.js');
const {
  createRenderer,
  createServer,
  createTokenVerifier,
  loadContract,
} = require('../../../packages/server/dist/index.js');
const { createHandlers } = require('../../../dist/handlers/index.js');
const { createLog, logOutcome } = require('../../../packages/server/dist/runtime/log.js');
const { service } = require('../../../dist/service.js');
const { errors, sha256 } = require('../../../generated/contract.js');
const { CONTRACT, TOKEN } = require('../workload.js');
const { openStore } = require('./open-store.js');
const { serve } = require('./serve.js');

// The built service with everything on but its log and its guard against overload, since the others have none, and its
// store, if --store names none.

let report = () => undefined;
if (process.argv.includes('--logging')) {
  const log = createLog('info');
  report = (outcome) => logOutcome(log, outcome);
}

async function main() {
  const [store, contract] = [await openStore(), loadContract(CONTRACT, sha256)];
  const parts = {
    contract,
    handlers: createHandlers(store),
    verifiers: service.createVerifiers(createTokenVerifier([TOKEN])),
    isUnavailable: service.isUnavailable,
    render: createRenderer({ contract, errors }),
    prefix: '',
    bodyLimit: 1024 ** 2,
    docs: false,
    corsOrigins: [],
    report,
  };
  await serve(createServer(await createApp(parts), parts));
}

void main();
