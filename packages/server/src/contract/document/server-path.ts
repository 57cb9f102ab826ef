// Finds the path that the URL of a server adds to every operation.
import type { Document } from './document';

// A relative URL starts at the address of the document (OpenAPI, Server Object). Any address will do: only the path counts.
const DOCUMENT_ADDRESS = 'http://localhost';

/**
 * The path of the first server, with the defaults of its variables; empty if the URL has no path or is malformed. It is the
 * prefix of every operation, unless a setting of the service names another.
 */
export function toServerPath({ servers = [] }: Pick<Document, 'servers'>): string {
  const [server] = servers;
  if (!server) return '';
  const { url, variables = {} } = server;
  const filledUrl = url.replace(/\{([^{}]*)\}/g, (_all, name: string) => variables[name]?.default ?? '');
  if (!URL.canParse(filledUrl, DOCUMENT_ADDRESS)) return '';
  return new URL(filledUrl, DOCUMENT_ADDRESS).pathname.replace(/\/+$/, '');
}
