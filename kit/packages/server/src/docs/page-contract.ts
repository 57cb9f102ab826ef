// Makes of the contract what its page shows: requests to this service, with the credentials that it takes.
import { mapValues, operationsOf, parsePart, pathsOf, resolvePathItem, resolveReference } from '@contract-kit/contract';
import type { Contract, Document, SecurityScheme } from '@contract-kit/contract';

type Json = Readonly<Record<string, unknown>>;

/**
 * Copies the contract as it is written, but for its servers, whose URLs are relative to the folder of the page, and its
 * security schemes: those that operations use, as the page can send them.
 *
 * @param prefix the path of the base URL, if it is not that of the servers
 */
export function toPageContract({ source, operations, serverPath }: Contract, prefix: string | undefined): object {
  // An integer that a double cannot hold keeps its digits.
  const document = parsePart(source.toString('utf8'), 'openapi.yaml') as Document;
  const toHost = `/${'../'.repeat(serverPath.split('/').length - 1)}`;
  const paths = Object.entries(pathsOf(document)).map(([path, node]) => {
    // The item behind a reference may be anywhere in the contract, with servers of its own.
    const { parameters, ...item } = resolvePathItem(document, node);
    const additionalOperations: Record<string, object> = {};
    const fields: Record<string, object> = {};
    for (const { method, keys, object } of operationsOf(document, item)) {
      const operation = operations.find((one) => one.path === path && one.method === method);
      if (!operation) continue;
      const isElsewhere = prefix === undefined && operation.serverPath !== serverPath;
      const servers = isElsewhere ? [{ url: toHost + operation.serverPath.slice(1) }] : undefined;
      const security = operation.security.map((needed) =>
        Object.fromEntries(needed.map(({ scheme, scopes }) => [scheme, scopes])),
      );
      // The names of OpenAPI 3.2.
      if (keys.length === 1 || method === 'QUERY') fields[method.toLowerCase()] = { ...object, security, servers };
      else additionalOperations[method] = { ...object, security, servers };
    }
    return [path, { parameters, ...fields, additionalOperations }];
  });
  const used = new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => scheme)));
  const securitySchemes = mapValues(document.components?.securitySchemes ?? {}, (node) =>
    toUsable({ ...resolveReference<SecurityScheme>(document, node, 'SecurityScheme') }),
  );
  return {
    ...document,
    servers: [{ url: '/' }],
    // Each operation has its own; of these, the page offers the first one at its top.
    security: [...used].map((name) => ({ [name]: [] })),
    paths: Object.fromEntries(paths) as object,
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
