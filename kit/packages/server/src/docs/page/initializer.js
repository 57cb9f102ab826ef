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
let cookieAttributes;
// The cookies that are kept for the request in flight, such as `session=1`.
let cookies = [];

// Called by Swagger UI before a request. Sets the cookies of its header Cookie, which a script may not send: the browser
// does.
function sendCookies(request) {
  forgetCookies();
  // The folder of the request, up to a semicolon, which would end the attribute.
  const [folder] = /^[^;]*\//.exec(new URL(request.url).pathname);
  cookieAttributes = `; path=${folder}; SameSite=Strict`;
  cookies = request.headers?.Cookie?.split('; ') ?? [];
  for (const cookie of cookies) document.cookie = cookie + cookieAttributes;
  return request;
}

// Called by Swagger UI with the reply to a request. Removes the cookies that were set for it, by an age of 0.
function forgetCookies(reply) {
  for (const cookie of cookies) document.cookie = `${cookie}${cookieAttributes}; max-age=0`;
  cookies = [];
  return reply;
}

/**
 * A plugin of Swagger UI: the layout `PageLayout`. Its own layout has a second `main`, and no heading for the operations. There
 * is one server, this one, so that no list of servers is shown.
 */
function pageLayout({ React: { createElement } }) {
  function PageLayout({ getComponent, specSelectors }) {
    const show = (name) => createElement(getComponent(name, true));
    const wrap = (...children) => createElement('div', { className: 'wrapper' }, ...children);
    const hasSchemes = specSelectors.securityDefinitions()?.size > 0;
    return createElement(
      'div',
      { className: 'swagger-ui' },
      wrap(show('errors'), show('InfoContainer')),
      hasSchemes && createElement('div', { className: 'scheme-container' }, wrap(show('AuthorizeBtnContainer'))),
      wrap(createElement('h2', null, 'Operations'), show('operations')),
      wrap(show('Models')),
      wrap(show('Webhooks')),
    );
  }
  // Each operation has one server, too.
  return { components: { PageLayout, OperationServers: () => null } };
}

/**
 * A plugin of Swagger UI: shows a curl line only if somebody can paste it safely. Swagger UI does not quote a word that starts with
 * `-`, `_` or `/`, so that a shell would run what the contract has written there; and curl would send a file in place of text that
 * starts with `@`.
 */
function safeCurl({ React: { createElement } }) {
  const showSafe = (Curl) => (props) => (isSafe(props.request) ? createElement(Curl, props) : null);
  return { wrapComponents: { curl: showSafe } };
}

function isSafe(request) {
  const headers = [...(request.get('headers') ?? [])];
  const body = request.get('body');
  const isForm = headers.some(([name, value]) => /^content-type$/i.test(name) && /^multipart\/form-data$/i.test(value));
  const parts = isForm && body ? [...body] : [];
  const names = [...headers, ...parts].map(([name]) => name);
  const values = parts.map(([, value]) => value);
  return (
    !names.some((name) => /^[-_/]/.test(name)) && !values.some((value) => /^[@<]/.test(value)) && !/^[-_/@]/.test(body)
  );
}

// Fetches the contract, and has Swagger UI show it in the element `page`.
async function showContract() {
  const reply = await fetch(`${base}/openapi.json`);
  const contract = JSON.parse(await reply.text());
  const page = document.getElementById('page');
  labelControls(page);
  window.SwaggerUIBundle({
    spec: toPageContract(contract, base, JSON.parse(page.dataset.servers)),
    domNode: page,
    presets: [window.SwaggerUIBundle.presets.apis],
    plugins: [keepIntegers, pageLayout, credentialsDialog, safeCurl],
    layout: 'PageLayout',
    requestInterceptor: sendCookies,
    responseInterceptor: forgetCookies,
    // Otherwise Swagger UI may ask a public validator about the contract.
    validatorUrl: null,
  });
}

void showContract();
