// Shows the contract with Swagger UI, in the colours of the system.

// The contract says { base_url }; requests go to where this page was opened, also behind a proxy that changes the path.
// This script is two folders below.
const base = new URL('../..', document.currentScript.src).href.replace(/\/$/, '');

const dark = matchMedia('(prefers-color-scheme: dark)');
function followSystem() {
  document.documentElement.classList.toggle('dark-mode', dark.matches);
}
dark.addEventListener('change', followSystem);
followSystem();

// A script may not set the header Cookie, but may keep a cookie until the reply is there, which the browser sends.
const ours = `; path=${new URL(base).pathname}; SameSite=Strict`;
let cookies = [];

function sendCookies(request) {
  forgetCookies();
  cookies = request.headers?.Cookie?.split('; ') ?? [];
  for (const cookie of cookies) document.cookie = cookie + ours;
  return request;
}

function forgetCookies(reply) {
  for (const cookie of cookies) document.cookie = `${cookie}${ours}; max-age=0`;
  cookies = [];
  return reply;
}

// There is one server: this one.
function hideServers() {
  return { components: { ServersContainer: () => null } };
}

async function showContract() {
  const reply = await fetch(`${base}/openapi.json`);
  const contract = JSON.parse(await reply.text());
  const page = document.getElementById('page');
  labelControls(page);
  window.SwaggerUIBundle({
    spec: toPageContract(contract, base),
    domNode: page,
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [keepIntegers, hideServers],
    layout: 'BaseLayout',
    requestInterceptor: sendCookies,
    responseInterceptor: forgetCookies,
    validatorUrl: null,
  });
}

void showContract();
