// @ts-check
'use strict';
const http = require('node:http');
const { BODY, HEADERS, METHOD, PATH } = require('../workload.js');

const TIMEOUT_MS = 10_000;

/**
 * Sends one request and reads the reply.
 *
 * @param {number} port
 * @param {{ method?: string, path?: string, headers?: http.OutgoingHttpHeaders, body?: string, agent?: http.Agent | false }} [options]
 * @returns {Promise<{ status: number | undefined, text: string }>}
 */
function request(port, { method = METHOD, path = PATH, headers = HEADERS, body = BODY, agent = false } = {}) {
  return new Promise((resolve, reject) => {
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const req = http.request({ host: '127.0.0.1', port, method, path, headers, agent, signal });
    req.on('error', reject);
    req.on('response', (res) => {
      let text = '';
      res.setEncoding('utf8').on('data', (chunk) => (text += chunk));
      res.on('error', reject).on('end', () => resolve({ status: res.statusCode, text }));
    });
    req.end(body);
  });
}

module.exports = { request };
