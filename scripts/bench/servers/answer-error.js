// @ts-check
'use strict';

/**
 * Express knows it by its four parameters.
 *
 * @param {any} err
 * @param {import('express').Request} _req
 * @param {import('express').Response} res
 * @param {import('express').NextFunction} _next
 */
function answerError(err, _req, res, _next) {
  res.status(err.status || 500).json({ message: err.message, errors: err.errors });
}

module.exports = { answerError };
