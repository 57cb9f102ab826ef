// Makes of the contract what the page can keep of it: requests to this service, with the credentials that it takes.
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace', 'query'];
const SCHEMES = '#/components/securitySchemes/';
const TOKEN_HINT = 'Send an access token, as `Authorization: Bearer`.';

/**
 * Copies the contract for the page: with the addresses of this service as the only servers, and without client certificates and the security
 * schemes that no operation uses.
 *
 * @param base the address of this service
 * @param servers the path and method of each operation that is not below it, and the relative path from there to its server
 */
function toPageContract(contract, base, servers) {
  const page = structuredClone(contract);
  const schemes = Object.entries(page.components?.securitySchemes ?? {}).map(([name, scheme]) => [
    name,
    resolveReference(page, scheme),
  ]);
  const certificateNames = new Set(schemes.filter(([, { type }]) => type === 'mutualTLS').map(([name]) => name));
  const usedNames = new Set();
  // Anything else there is an extension.
  const paths = Object.entries(page.paths ?? {}).filter(([path]) => path.startsWith('/'));
  // The item behind a reference may be anywhere in the contract, with servers of its own.
  const items = paths.map(([path, { $ref, ...item }]) => [
    path,
    $ref ? { ...resolveReference(page, { $ref }), ...item } : item,
  ]);
  page.paths = Object.fromEntries(items);
  if (!page.openapi.startsWith('3.2.')) nameAsIn32(page);
  for (const item of Object.values(page.paths)) {
    delete item.servers;
    const operations = [...METHODS.map((method) => item[method]), ...Object.values(item.additionalOperations ?? {})];
    for (const operation of operations.filter(Boolean)) {
      delete operation.servers;
      const requirements = operation.security ?? page.security ?? [];
      // Since OpenAPI 3.2, a requirement may name a scheme by its URI, which Swagger UI does not know.
      const alternatives = requirements.map((requirement) =>
        Object.fromEntries(Object.entries(requirement).map(([key, scopes]) => [key.replace(SCHEMES, ''), scopes])),
      );
      // TLS ends before the service, so that it sees no client certificate. An alternative has its schemes as keys.
      operation.security = alternatives.filter(
        (alternative) => !Object.keys(alternative).some((name) => certificateNames.has(name)),
      );
      for (const name of operation.security.flatMap(Object.keys)) usedNames.add(name);
    }
  }
  for (const [path, method, server] of servers) {
    const { [method.toLowerCase()]: operation = page.paths[path].additionalOperations[method] } = page.paths[path];
    operation.servers = [{ url: new URL(server, `${base}/`).href.replace(/\/$/, '') }];
  }
  const usedSchemes = schemes.filter(([name]) => usedNames.has(name));
  if (page.components) {
    page.components.securitySchemes = Object.fromEntries(
      usedSchemes.map(([name, scheme]) => [name, toUsableScheme(scheme)]),
    );
  }
  return { ...page, servers: [{ url: base }] };
}

// Replaces an HTTP scheme that Swagger UI does not know by a field for the header, and OAuth and OpenID Connect by a field for the token, with the addresses where the reader gets one. The page can
// ask no other server for a token: it may connect to this service only. The service reads the token alike.
function toUsableScheme(scheme) {
  const { type, description = '', openIdConnectUrl, flows = {} } = scheme;
  if (type === 'http' && !/^(?:basic|bearer)$/i.test(scheme.scheme)) {
    const hint = `Send \`${scheme.scheme}\`, a space and the credentials.`;
    return { type: 'apiKey', in: 'header', name: 'Authorization', description: `${description}\n\n${hint}` };
  }
  if (type !== 'oauth2' && type !== 'openIdConnect') return scheme;
  const urls = Object.values(flows).flatMap(({ authorizationUrl, tokenUrl }) => [authorizationUrl, tokenUrl]);
  const sources = [openIdConnectUrl, ...new Set(urls)].filter(Boolean).map((url) => `- ${url}`);
  return {
    type: 'http',
    scheme: 'bearer',
    description: `${description}\n\n${TOKEN_HINT} It comes from:\n\n${sources.join('\n')}`,
  };
}

// Swagger UI shows the operations that OpenAPI 3.2 adds only under their names there.
function nameAsIn32(page) {
  let isChanged = false;
  for (const item of Object.values(page.paths)) {
    const { 'x-oai-query': own, 'x-oai-additionalOperations': { QUERY: query = own, ...additions } = {} } = item;
    Object.assign(item, query && { query }, { additionalOperations: additions });
    isChanged ||= query !== undefined || Object.keys(additions).length > 0;
  }
  if (!isChanged) return;
  if (page.openapi.startsWith('3.0.')) writeSchemasAsIn31(page);
  page.openapi = '3.2.0';
}

const MAPS = /^(?:properties|schemas|responses|headers|parameters|requestBodies|callbacks)$/;
const DATA = /^(?:default|enum|examples?|x-.*)$/;

// Paths that refer to the same item share its schemas, so a schema may be met again.
function writeSchemasAsIn31(node, areKeysNames = false) {
  if (typeof node !== 'object' || node === null) return;
  if (node.nullable === true && typeof node.type === 'string') node.type = [node.type, 'null'];
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ]) {
    if (typeof node[exclusive] !== 'boolean') continue;
    if (node[exclusive]) [node[exclusive], node[bound]] = [node[bound], undefined];
    else delete node[exclusive];
  }
  for (const [key, child] of Object.entries(node))
    if (areKeysNames || !DATA.test(key)) writeSchemasAsIn31(child, !areKeysNames && MAPS.test(key));
}

// Returns what a node refers to, such as `{ $ref: '#/components/securitySchemes/key' }`; any other node is itself.
function resolveReference(contract, node) {
  if (node.$ref === undefined) return node;
  const keys = node.$ref.slice('#/'.length).split('/');
  // A JSON pointer escapes `/` and `~` (RFC 6901).
  const target = keys.reduce(
    (parent, key) => parent[decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')],
    contract,
  );
  return resolveReference(contract, target);
}
