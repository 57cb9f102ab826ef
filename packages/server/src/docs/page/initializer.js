// The contract says { base_url }; requests go to where this page was opened, also behind a proxy that changes the path.
const base = new URL('.', location.href).href.replace(/\/$/, '');

async function showContract() {
  const reply = await fetch(`${base}/openapi.json`);
  const contract = await reply.json();
  document.title = contract.info.title;
  window.SwaggerUIBundle({
    spec: { ...contract, servers: [{ url: base }] },
    dom_id: '#page',
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    validatorUrl: null,
  });
}

void showContract();
