'use strict';
const { resolve } = require('node:path');

// What every server is given: the same contract, token and request.

const TOKEN = 'a-token-for-the-benchmark';
const PLANT = { name: 'Rose', tag: 'flower' };
const toBody = (id) => `{"id":${id},${JSON.stringify(PLANT).slice(1)}`;

module.exports = {
  CONTRACT: resolve(__dirname, '../../openapi.yaml'),
  MAIN: resolve(__dirname, '../../dist/main.js'),
  TOKEN,
  AUTHORIZATION: `Bearer ${TOKEN}`,
  PLANT,
  METHOD: 'POST',
  PATH: '/plants',
  HEADERS: { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' },
  BODY: toBody('1'),
  toBody,
};
