import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { PLANT, TOKEN, secondsSince, startTarget, type Attack, type Target } from '../target';

const RESTARTS = 6;
const CLIENTS = 32;
const LOAD_MS = 1_000;
const REQUEST =
  `POST /plants HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${TOKEN}\r\nContent-Type: application/json\r\n` +
  `Content-Length: ${String(PLANT.length)}\r\n\r\n${PLANT}`;

interface Tally {
  sent: number;
  cut: number;
}

/** Sends requests one after the other, on a new connection when a reply says so, until there is no server. */
async function load({ port }: Target, tally: Tally): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1').setEncoding('latin1');
    const isConnected = await once(socket, 'connect').then(
      () => true,
      () => false,
    );
    if (!isConnected) return;
    await new Promise((resolve) => {
      let isWaiting = false;
      const send = (): void => {
        socket.write(REQUEST);
        tally.sent++;
        isWaiting = true;
      };
      socket.on('data', (reply: string) => {
        isWaiting = false;
        if (reply.includes('\r\nConnection: close\r\n')) socket.end();
        else send();
      });
      socket
        .on('error', () => undefined)
        .on('close', () => {
          if (isWaiting) tally.cut++;
          resolve(undefined);
        });
      send();
    });
  }
}

/** Clients that obey `Connection: close`, while the service is ended and started again. */
const underLoad: Attack = {
  name: 'SIGTERM under load',
  async run() {
    const tally = { sent: 0, cut: 0 };
    for (let restart = 0; restart < RESTARTS; restart++) {
      using target = await startTarget();
      const clients = Array.from({ length: CLIENTS }, () => load(target, tally));
      await sleep(LOAD_MS);
      target.process.child.kill('SIGTERM');
      await Promise.all([...clients, target.process.ended]);
    }
    return [{ what: `of ${String(tally.sent)} requests cut`, value: tally.cut, atMost: 0, unit: 'requests' }];
  },
};

const LOGGED = 3_000;

/** A reader of standard output that stalls, and SIGTERM. */
const unreadLog: Attack = {
  name: 'SIGTERM while standard output is not read',
  async run() {
    using target = await startTarget({ SHUTDOWN_TIMEOUT: '1s' });
    const { child, ended } = target.process;
    child.stdout?.pause();
    for (let asked = 0; asked < LOGGED; asked += 100) {
      await Promise.all(Array.from({ length: 100 }, () => target.postPlant()));
    }
    const start = performance.now();
    child.kill('SIGTERM');
    const kill = setTimeout(() => child.kill('SIGKILL'), 20_000);
    child.once('exit', () => child.stdout?.resume());
    await ended;
    clearTimeout(kill);
    return [{ what: 'ended', value: secondsSince(start), atMost: 2, unit: 's' }];
  },
};

export const sigtermAttacks: readonly Attack[] = [underLoad, unreadLog];
