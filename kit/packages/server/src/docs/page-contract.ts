// Adapts the contract for the documentation page, so that the page can send requests with credentials to this service.
import { mapValues, operationsOf, parsePart, pathsOf, resolvePathItem, resolveReference } from '@contract-kit/contract';
import type { Contract, Document, SecurityScheme } from '@contract-kit/contract';

type Json = Readonly<Record<string, unknown>>;

/**
 * Copies the contract, but replaces its servers and security schemes, so that paths are relative to the address of the page, and
 * the page can send all credentials. `prefix` is the path of the base URL, or undefined for the path of the contract's server.
 */
export function toPageContract({ source, operations, serverPath }: Contract, prefix: string | undefined): object {
  const document = parsePart(source.toString('utf8'), 'openapi.yaml') as Document;
  const pathToRoot = '/..'.repeat(serverPath.split('/').length - 1);
  const paths: Record<string, Record<string, unknown> & { additionalOperations: Record<string, unknown> }> = {};
  for (const [path, node] of Object.entries(pathsOf(document))) {
    const { parameters, ...item } = resolvePathItem(document, node);
    for (const { method, serverPath: own, security } of operations.filter((operation) => operation.path === path)) {
      const pagePath = prefix === undefined && own !== serverPath ? pathToRoot + own + path : path;
      const pagePathItem = (paths[pagePath] ??= { parameters, additionalOperations: {} });
      const alternatives = security.map((needed) =>
        Object.fromEntries(needed.map(({ scheme, scopes }) => [scheme, scopes])),
      );
      for (const { keys, object } of operationsOf(document, item).filter((one) => one.method === method)) {
        // Scalar would send a list of media types as a part's type. Without a list, it uses the type that the browser knows.
        const body = object.requestBody && resolveReference(document, object.requestBody, 'RequestBody');
        for (const media of Object.values(body?.content ?? {}))
          for (const part of Object.values(resolveReference(document, media, 'MediaType').encoding ?? {}))
            if (/[,*]/.test(String(part.contentType))) Reflect.deleteProperty(part, 'contentType');
        const page = { ...object, security: alternatives, servers: undefined };
        if (keys.length === 1 || method === 'QUERY') pagePathItem[method.toLowerCase()] = page;
        else pagePathItem.additionalOperations[method] = page;
      }
    }
  }
  const usedSchemes = new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => scheme)));
  const securitySchemes = mapValues(document.components?.securitySchemes ?? {}, (node) =>
    toSupportedScheme({ ...resolveReference<SecurityScheme>(document, node, 'SecurityScheme') }),
  );
  return {
    ...document,
    servers: [{ url: '/' }],
    // Each operation has its own security. The top of the page offers the first scheme in this list.
    security: [...usedSchemes].map((name) => ({ [name]: [] })),
    paths,
    components: { ...document.components, securitySchemes },
  };
}

// The page is allowed to connect only to this service, so it cannot request tokens elsewhere. For OAuth and OpenID Connect, it
// has a field for a bearer token. For HTTP schemes that Scalar does not know, it has a field for the Authorization header.
function toSupportedScheme({ description = '', ...scheme }: Json): object {
  const { type, scheme: name, openIdConnectUrl, flows } = scheme;
  if (type === 'http' && !/^(?:basic|bearer)$/i.test(String(name))) {
    const hint = `${String(description)}\n\nSend ${String(name)}, a space and the credentials.`;
    return { type: 'apiKey', in: 'header', name: 'Authorization', description: hint };
  }
  if (type !== 'oauth2' && type !== 'openIdConnect') return { description, ...scheme };
  const tokenUrls = [
    openIdConnectUrl,
    ...Object.values((flows ?? {}) as Json).flatMap((flow) => Object.values(flow as Json)),
  ];
  const sources = [...new Set(tokenUrls.filter((url) => typeof url === 'string'))].join(', ');
  return { type: 'http', scheme: 'bearer', description: `${String(description)}\n\nAn access token, from ${sources}` };
}
