// A service of any contract, by the compiled kit: CONTRACT is its file. What an operation does is the beginning of its name.
const { createHash } = require('node:crypto');
const { readFileSync } = require('node:fs');
const { Readable } = require('node:stream');
const { runService, serveContract, startJob } = require('@contract-kit/server');
const OpenApiValidator = require('express-openapi-validator');
const express = require('express');

const HANDLERS = {
  // Replies with the body that was sent.
  echo: ({ body }, reply) => reply(200, body),
  // Takes what is sent.
  take: (_request, reply) => reply(204),
  // Takes what is sent, all items of a stream.
  read: async ({ body }, reply) => {
    if (body?.[Symbol.asyncIterator]) for await (const _item of body);
    return reply(204);
  },
  // Never replies.
  hang: () => new Promise(() => undefined),
  // Replies with a stream that writes a part and then nothing.
  stall: (_request, reply) => {
    const stream = new Readable({ read: () => undefined });
    stream.push('a part');
    return reply(200, stream);
  },
  // Replies with as many integers as ITEMS says, or with events that have them as data.
  count: (_request, reply) =>
    reply(
      200,
      count((number) => number),
    ),
  dispatch: (_request, reply) =>
    reply(
      200,
      count((data) => ({ data })),
    ),
  // Collects garbage.
  collect: (_request, reply) => {
    globalThis.gc();
    return reply(204);
  },
};

async function* count(toItem) {
  for (let number = 1; number <= Number(process.env.ITEMS); number++) yield toItem(number);
}

const file = process.env.CONTRACT;
const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex');

// The function of the service that FAILS names fails.
function failIf(name) {
  if (process.env.FAILS === name) throw new Error(`a bug in ${name}`);
}

void runService(
  {
    title: 'The stand-in',
    example: { purpose: 'call it', path: '/', options: '' },
    readSettings: () => ({}),
    describe: () => failIf('describe') ?? {},
    createVerifiers: (bearer) => ({ bearerAuth: bearer }),
    createApp: async (parts) => express().use(await serveContract({ ...parts, validator: OpenApiValidator })),
    isUnavailable: () => false,
    open: async (_settings, _registry, log) => {
      // JOB: the milliseconds between its runs.
      const stopJob = startJob(log, Number(process.env.JOB ?? 2 ** 30), async () =>
        log.info({ pid: process.pid }, 'job'),
      );
      return {
        handlers: new Proxy({}, { get: (_none, name) => HANDLERS[/^[a-z]+/.exec(name)[0]] }),
        check: async () => undefined,
        close: async () => {
          await stopJob();
          failIf('close');
        },
      };
    },
  },
  { file, sha256 },
);
