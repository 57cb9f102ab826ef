// Shows the contract with Scalar's API reference, whose script comes after this one, so that it finds what this one replaces.

// Requests go to where this page was opened, also behind a proxy that changes the path. This script is two folders below.
const base = new URL('../..', document.currentScript.src).href;

// Credentials stay in this tab, and end with it.
Object.defineProperty(window, 'localStorage', { value: sessionStorage });

// An integer that a double cannot hold becomes a bigint, which keeps its digits; as a bound of a schema, Scalar would lose it.
const parse = JSON.parse;
JSON.parse = (text, reviver = revive) => parse(text, reviver);
BigInt.prototype.toJSON = function toJSON() {
  return JSON.rawJSON(this.toString());
};
function revive(key, value, { source } = {}) {
  // The name that OpenAPI 3.2 gives it.
  if (key === 'x-oai-itemSchema') this.itemSchema = value;
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
  if (!/^\w+imum (?:int|number)/.test(`${key} ${this.type ?? this.format}`)) return BigInt(source);
  this.description = `${this.description ?? ''}\n\n${key}: ${source}`;
  return undefined;
}

// A script may not set the header Cookie: the browser sends the cookie, which is there for a second.
window.Request = class extends Request {
  constructor(url, init) {
    super(url, init);
    const attributes = `path=${new URL('.', this.url).pathname}; SameSite=Strict; max-age=1`;
    const cookies = init?.headers?.get?.('Cookie')?.split('; ') ?? [];
    for (const cookie of cookies) document.cookie = `${cookie}; ${attributes}`;
  }
};

document.addEventListener('DOMContentLoaded', () => {
  window.Scalar.createApiReference('#page', {
    url: document.getElementById('page').dataset.contract,
    baseServerURL: base,
    persistAuth: true,
    // What would come from another host, or lead there.
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    // The links of this page lead to the contract as it was written.
    documentDownloadType: 'none',
  });
});
