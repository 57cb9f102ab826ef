'use strict';

const METHODS = ['put', 'post'];
const PATHS = [(name) => `/${name}/{id}`, (name) => `/${name}/{id}/draft`];

/** The operations of a contract of make-contract.js. Servers load this file, and nothing of ours with it. */
function listOperations(count) {
  return Array.from({ length: count }, (_, place) => {
    const resource = `resource${Math.floor(place / (METHODS.length * PATHS.length))}`;
    const path = PATHS[Math.floor(place / METHODS.length) % PATHS.length](resource);
    return { id: `operation${place}`, path, method: METHODS[place % METHODS.length], resource };
  });
}

module.exports = { listOperations };
