// Replaces one of the three parts of express-openapi-validator that decide, in its own file as it is loaded. SABOTAGE is
// such as `request refuses`, `request passes` or `security hangs`. One that refuses begins to when `globalThis.isSabotaged` is set, since the
// replies that the kit makes itself are tried at the start.
const { registerHooks } = require('node:module');

const [part, verdict] = String(process.env['SABOTAGE']).split(' ');

const STATUSES = { security: 401, request: 400, response: 500 };
const answer =
  verdict === 'refuses' ? `Object.assign(new Error('sabotaged'), { status: ${String(STATUSES[part])} })` : 'undefined';
const when = verdict === 'refuses' ? 'globalThis.isSabotaged' : 'true';
const decision = verdict === 'hangs' ? 'undefined' : `next(${answer})`;
const decide = (original) => `(req, res, next) => (${when} ? ${decision} : (${original})(req, res, next))`;

const REPLACEMENTS = {
  security: `const original = exports.security;
    exports.security = (...args) => { const middleware = original(...args); return ${decide('middleware')}; };`,
  request: `const original = RequestValidator.prototype.validate;
    RequestValidator.prototype.validate = function (...args) { return (${decide('(...all) => original.apply(this, all)')})(...args); };`,
  response: `const original = ResponseValidator.prototype.validate;
    ResponseValidator.prototype.validate = function () { const middleware = original.call(this); return ${decide('middleware')}; };`,
};
const FILES = { security: 'security', request: 'request.validator', response: 'response.validator' };

let replaced = 0;
registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(`/express-openapi-validator/dist/middlewares/openapi.${FILES[part]}.js`)) return loaded;
    replaced += 1;
    return { ...loaded, source: `${String(loaded.source)}\n;{ ${REPLACEMENTS[part]} }\n` };
  },
});
process.on('exit', () => {
  if (part in FILES && replaced !== 1) throw new Error(`${part} was replaced ${String(replaced)} times`);
});
