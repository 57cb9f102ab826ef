// Shows the contract with Scalar's API reference. Scalar's script runs after this one, so it uses the replacements made here.

// Requests go to the folder of this page, even behind a proxy that changes the path. This script is two folders below it.
const base = new URL('../..', document.currentScript.src).href;

// Credentials stay in this tab, and are lost when it is closed.
Object.defineProperty(window, 'localStorage', { value: sessionStorage });

// Integers beyond 2^53 become bigints. Scalar drops bigint limits of a schema, so these are added to the description.
const parse = JSON.parse;
JSON.parse = (text, reviver = revive) => parse(text, reviver);
BigInt.prototype.toJSON = function toJSON() {
  return JSON.rawJSON(this.toString());
};
function revive(key, value, { source } = {}) {
  if (key === 'x-oai-itemSchema') this.itemSchema = value;
  if (!Number.isInteger(value) || Number.isSafeInteger(value) || !/^-?\d+$/.test(source)) return value;
  if (!/^\w+imum (?:int|number)/.test(`${key} ${this.type ?? this.format}`)) return BigInt(source);
  this.description = `${this.description ?? ''}\n\n${key}: ${source}`;
  return undefined;
}

// Scripts cannot set the Cookie header, so this sets cookies that live for one second.
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
    // These features would load files from other hosts, or link to them.
    withDefaultFonts: false,
    agent: { disabled: true },
    mcp: { disabled: true },
    showDeveloperTools: 'never',
    hideClientButton: true,
    // The page has its own links to the original contract.
    documentDownloadType: 'none',
  });
});
