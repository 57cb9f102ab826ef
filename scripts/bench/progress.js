// @ts-check
'use strict';

const CLEAR_LINE = '\r\x1b[K';

/**
 * Tells what is going on, on standard error: one line that changes on a terminal, a line for each step elsewhere.
 *
 * @param {NodeJS.WriteStream} stream
 */
function createProgress(stream) {
  return {
    /** @param {string} step */
    tell: (step) => void stream.write(stream.isTTY ? CLEAR_LINE + step : `${step}\n`),
    end: () => void (stream.isTTY && stream.write(CLEAR_LINE)),
  };
}

module.exports = { createProgress };
