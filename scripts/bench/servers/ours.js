// @ts-check
'use strict';
const { createApp } = require('../../../dist/app.js');
const { loadContract } = require('../../../dist/contract/load-contract.js');
const { createLog, logOutcome } = require('../../../dist/log.js');
const { CONTRACT, TOKEN } = require('../workload.js');
const { openStore } = require('./open-store.js');
const { serve } = require('./serve.js');

// The built service with everything on but its log, since the others have none, and its store, if --store names none.

/** @type {(outcome: any) => void} */
let report = () => undefined;
if (process.argv.includes('--logging')) {
  const log = createLog('info');
  report = (outcome) => logOutcome(log, outcome);
}

async function main() {
  const [store, contract] = [await openStore(), loadContract(CONTRACT)];
  await serve(await createApp({ contract, store, tokens: [TOKEN], prefix: '', bodyLimit: 1024 ** 2, report }));
}

void main();
