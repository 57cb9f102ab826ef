// Makes of the contract what its page shows: requests to this service, with the credentials that it takes.
import { mapValues, operationsOf, parsePart, pathsOf, resolvePathItem, resolveReference } from '@contract-kit/contract';
import type { Contract, Document, SecurityScheme } from '@contract-kit/contract';

type Json = Readonly<Record<string, unknown>>;

/**
 * Copies the contract as it is written, but for its servers and security schemes: its paths are relative to the address of the
 * page, and the page can send the credentials. `prefix` is the path of the base URL, if it is not that of the servers.
 */
export function toPageContract({ source, operations, serverPath }: Contract, prefix: string | undefined): object {
  // An integer that a double cannot hold keeps its digits.
  const document = parsePart(source.toString('utf8'), 'openapi.yaml') as Document;
  const toHost = '/..'.repeat(serverPath.split('/').length - 1);
  const paths: Record<string, Record<string, unknown> & { additionalOperations: Record<string, unknown> }> = {};
  for (const [path, node] of Object.entries(pathsOf(document))) {
    // The item behind a reference may be anywhere in the contract, with servers of its own.
    const { parameters, ...item } = resolvePathItem(document, node);
    for (const { method, serverPath: own, security } of operations.filter((operation) => operation.path === path)) {
      const shownPath = prefix === undefined && own !== serverPath ? toHost + own + path : path;
      const shown = (paths[shownPath] ??= { parameters, additionalOperations: {} });
      const alternatives = security.map((needed) =>
        Object.fromEntries(needed.map(({ scheme, scopes }) => [scheme, scopes])),
      );
      for (const { keys, object } of operationsOf(document, item).filter((one) => one.method === method)) {
        // Scalar would send a choice of types as that of a part; without it, it sends what the browser knows.
        // Scalar would send a choice of types as that of a part; without it, a file has the type that the browser knows.
        const body = object.requestBody && resolveReference(document, object.requestBody, 'RequestBody');
        for (const media of Object.values(body?.content ?? {}))
          for (const part of Object.values(resolveReference(document, media, 'MediaType').encoding ?? {}))
            if (/[,*]/.test(String(part.contentType))) Reflect.deleteProperty(part, 'contentType');
        const page = { ...object, security: alternatives, servers: undefined };
        // The names of OpenAPI 3.2.
        if (keys.length === 1 || method === 'QUERY') shown[method.toLowerCase()] = page;
        else shown.additionalOperations[method] = page;
      }
    }
  }
  const used = new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => scheme)));
  const securitySchemes = mapValues(document.components?.securitySchemes ?? {}, (node) =>
    toUsable({ ...resolveReference<SecurityScheme>(document, node, 'SecurityScheme') }),
  );
  return {
    ...document,
    servers: [{ url: '/' }],
    // Each operation has its own; of these, the page offers the first one at its top.
    security: [...used].map((name) => ({ [name]: [] })),
    paths,
    components: { ...document.components, securitySchemes },
  };
}

// The page can ask no other server for a token: it may connect to this service only. So it has a field for the token of OAuth
// and OpenID Connect, which the service reads alike; and one for the header Authorization of an HTTP scheme that it does not know.
function toUsable({ description = '', ...scheme }: Json): object {
  const { type, scheme: name, openIdConnectUrl, flows } = scheme;
  if (type === 'http' && !/^(?:basic|bearer)$/i.test(String(name))) {
    const hint = `${String(description)}\n\nSend ${String(name)}, a space and the credentials.`;
    return { type: 'apiKey', in: 'header', name: 'Authorization', description: hint };
  }
  if (type !== 'oauth2' && type !== 'openIdConnect') return { description, ...scheme };
  const urls = [
    openIdConnectUrl,
    ...Object.values((flows ?? {}) as Json).flatMap((flow) => Object.values(flow as Json)),
  ];
  const sources = [...new Set(urls.filter((url) => typeof url === 'string'))].join(', ');
  return { type: 'http', scheme: 'bearer', description: `${String(description)}\n\nAn access token, from ${sources}` };
}
