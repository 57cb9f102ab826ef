// @ts-check
'use strict';
const { createApp } = require('../../../dist/app.js');
const { createTokenVerifier } = require('../../../dist/auth/token-verifier.js');
const { loadContract } = require('../../../dist/contract/load-contract.js');
const { createLog, logOutcome } = require('../../../dist/log.js');
const { CONTRACT, TOKEN } = require('../workload.js');
const { serve } = require('./serve.js');

// The built service with everything on but its store: none of the others has one. Without --logging it does not log
// either, as the others do not.

/** @type {(outcome: any) => void} */
let report = () => undefined;
if (process.argv.includes('--logging')) {
  const log = createLog('info');
  report = (outcome) => logOutcome(log, outcome);
}

async function main() {
  const store = { add: () => Promise.resolve(), close: () => Promise.resolve() };
  const verify = createTokenVerifier([TOKEN]);
  const parts = { contract: loadContract(CONTRACT), store, verify, prefix: '', bodyLimit: 1024 ** 2, report };
  await serve(await createApp(parts));
}

void main();
