// @ts-check
'use strict';
const { readArguments } = require('./read-arguments.js');
const { serveWithGlue } = require('../serve-with-glue.js');

/** @param {import('fastify').FastifyRequest<{ Params: any, Querystring: any, Body: any }>} request */
async function handle({ params, query, body }) {
  return { ...params, ...query, ...body };
}

const { contract, operations } = readArguments();
void serveWithGlue(contract, Object.fromEntries(operations.map(({ id }) => [id, handle])));
