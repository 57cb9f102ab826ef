import type { Document } from './document';

/**
 * The path of the first server of a contract, with the defaults of its variables and without a slash at the end. It is the
 * prefix of every operation, unless a setting of the service names another.
 *
 * @example toServerPath({ servers: [{ url: 'https://api.example/v1/' }] }) // '/v1'
 */
export function toServerPath({ servers = [] }: Pick<Document, 'servers'>): string {
  const [server] = servers;
  if (!server) return '';
  const { url, variables = {} } = server;
  const filled = url.replace(/\{([^{}]*)\}/g, (_all, name: string) => variables[name]?.default ?? '');
  return URL.canParse(filled, LOCAL) ? new URL(filled, LOCAL).pathname.replace(/\/+$/, '') : '';
}

// A relative URL starts at the address of the document (OpenAPI, Server Object).
const LOCAL = 'http://localhost';
