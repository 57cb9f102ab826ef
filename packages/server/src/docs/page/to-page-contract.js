// Makes of the contract what the page can keep of it: requests to this service, with the credentials that it takes.
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const HEADER = 'Send an access token, as `Authorization: Bearer`.';

/** @param base the address of this service */
function toPageContract(contract, base) {
  const page = structuredClone(contract);
  const schemes = Object.entries(page.components?.securitySchemes ?? {}).map(([name, scheme]) => [
    name,
    resolve(page, scheme),
  ]);
  const certificates = new Set(schemes.filter(([, { type }]) => type === 'mutualTLS').map(([name]) => name));
  const used = new Set();
  for (const item of [...Object.values(page.paths ?? {}), ...Object.values(page.components?.pathItems ?? {})]) {
    delete item.servers;
    for (const operation of METHODS.map((method) => item[method]).filter(Boolean)) {
      delete operation.servers;
      const alternatives = operation.security ?? page.security ?? [];
      // TLS ends before the service, so that it sees no client certificate.
      operation.security = alternatives.filter((all) => !Object.keys(all).some((name) => certificates.has(name)));
      for (const name of operation.security.flatMap(Object.keys)) used.add(name);
    }
  }
  const served = schemes.filter(([name]) => used.has(name)).map(([name, scheme]) => [name, toServed(scheme)]);
  if (page.components) page.components.securitySchemes = Object.fromEntries(served);
  return { ...page, servers: [{ url: base }] };
}

// The page can ask no other server for a token: it may connect to this service only. The service reads the token alike.
function toServed(scheme) {
  const { type, description = '', openIdConnectUrl, flows = {} } = scheme;
  if (type !== 'oauth2' && type !== 'openIdConnect') return scheme;
  const urls = Object.values(flows).flatMap(({ authorizationUrl, tokenUrl }) => [authorizationUrl, tokenUrl]);
  const from = [openIdConnectUrl, ...new Set(urls)].filter(Boolean).map((url) => `- ${url}`);
  return {
    type: 'http',
    scheme: 'bearer',
    description: `${description}\n\n${HEADER} It comes from:\n\n${from.join('\n')}`,
  };
}

function resolve(contract, node) {
  if (node.$ref === undefined) return node;
  const keys = node.$ref.slice('#/'.length).split('/');
  const target = keys.reduce(
    (place, key) => place[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')],
    contract,
  );
  return resolve(contract, target);
}
