'use strict';
const { Server } = require('node:http');
const { join } = require('node:path');
const { Duplex } = require('node:stream');
const { setImmediate: nextTurn } = require('node:timers/promises');
const { toBytes } = require('../workload.js');

// The server of a kit without sockets: what the main thread does for a request, without the kernel. The kit may be another
// checkout than this one, whose server listens as usual.

const [kit, script, status, text] = process.argv.splice(2, 4);
const CONNECTIONS = 32;
const WARM_UP = 20_000;
const REQUESTS = 20_000;
const bytes = toBytes(0, JSON.parse(text));
const tell = process.send.bind(process);

/** A connection that tells of each reply, and of one that has another status. */
class Connection extends Duplex {
  remoteAddress = '127.0.0.1';
  constructor(onReply) {
    super({ read: () => undefined });
    this.onReply = onReply;
  }
  _write(chunk, _encoding, done) {
    this.receive(chunk);
    done();
  }
  _writev(chunks, done) {
    this.receive(Buffer.concat(chunks.map(({ chunk }) => Buffer.from(chunk))));
    done();
  }
  receive(chunk) {
    if (chunk.toString('latin1', 0, 12) !== `HTTP/1.1 ${status}`) throw new Error(`not a ${status}: ${chunk}`);
    this.onReply(this);
  }
  setTimeout = () => this;
  setNoDelay = () => this;
  setKeepAlive = () => this;
}

async function measure(server) {
  const idle = [];
  let replies = 0;
  const onReply = (connection) => {
    replies++;
    idle.push(connection);
  };
  for (let index = 0; index < CONNECTIONS; index++) {
    idle.push(new Connection(onReply));
    server.emit('connection', idle.at(-1));
  }
  const send = async (count) => {
    for (const end = replies + count; replies < end; await nextTurn()) {
      for (const connection of idle.splice(0)) connection.push(bytes);
    }
  };
  await send(WARM_UP);
  const [before, first] = [process.threadCpuUsage(), replies];
  await send(REQUESTS);
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / (replies - first);
}

const { listen } = Server.prototype;
Server.prototype.listen = function measureInstead(port, ...others) {
  // Only the nursery has a server for administration.
  if (port === Number(process.env.ADMIN_PORT)) return listen.call(this, port, ...others);
  void measure(this).then((microseconds) => tell({ microseconds }, () => process.exit()));
  return this;
};
process.send = () => true;
require(join(kit, `proofs/bench/servers/${script}.js`));
