'use strict';
const cluster = require('node:cluster');
const { once } = require('node:events');
const { usage } = require('./serve.js');

// `cluster.js N ours ...`: N processes of a server behind one port, which answer the parent as if they were one.

async function main() {
  const [processes, script, ...args] = process.argv.slice(2);
  cluster.setupPrimary({ exec: require.resolve(`./${script}.js`), args });
  const workers = [];
  for (let started = 0; started < Number(processes); started++) {
    const worker = cluster.fork();
    const [hello] = await once(worker, 'message');
    worker.on('exit', () => process.exit(1));
    workers.push({ worker, hello });
  }
  process.on('disconnect', () => process.exit());
  process.on('message', async () => {
    const answers = await Promise.all(
      workers.map(async ({ worker }) => {
        const answer = once(worker, 'message');
        worker.send('usage');
        return (await answer)[0];
      }),
    );
    process.send([usage(), ...answers].reduce(add));
  });
  process.send(workers[0].hello);
}

function add(a, b) {
  return { rss: a.rss + b.rss, heapUsed: a.heapUsed + b.heapUsed, cpu: a.cpu + b.cpu, main: a.main + b.main };
}

void main();
