// Makes the request that a new project prints as a curl line when it starts.
import { createSuite, isIdempotencyKey, isJsonType, type Suite, validRequest } from '@contract-kit/conformance';
import type { Example } from '@contract-kit/server';
import { resolveReference, type NormalizedDocument, type Operation } from '@contract-kit/contract';
import type { NewContract } from './read-contract';

/**
 * Makes a valid request to the first operation that accepts a token of a security scheme, or else to the first operation.
 *
 * @param scheme the security scheme of the tokens that the service creates when it starts; undefined if there is none
 */
export function makeExample(
  { source, document, operations }: Pick<NewContract, 'source' | 'document' | 'operations'>,
  scheme: string | undefined,
): Example {
  const operation = operations.find((candidate) => isOpenTo(candidate, scheme)) ?? operations[0];
  if (!operation) return { purpose: 'see the contract', path: '/openapi.yaml', options: '' };
  const { id, method, path } = operation;
  const { model, values } = readSuite(source);
  const tested = model.operations.find((candidate) => candidate.method === method && candidate.path === path);
  if (!tested) throw new Error(`the contract does not have the operation ${id}`);
  // Use the same key in each project of a contract, so that an update changes no line.
  const keys = tested.parameters.filter(isIdempotencyKey);
  const places = new Map(keys.map(({ pointer, schema }) => [pointer, [values.baseOf(schema) as string]]));
  const withKeys = { ...values, fixtures: { ...values.fixtures, places } };
  const { target: ownTarget, headers, body, server } = validRequest(withKeys, tested, NO_CREDENTIALS);
  // It is printed behind the contract's server: curl resolves the dots, which lead to the operation's own one.
  const target = (server ? '/..'.repeat(server.contractPath.split('/').length - 1) + server.path : '') + ownTarget;
  // A body that is not JSON is not readable, and is left out.
  const isShown = body !== undefined && headers.some(([name, value]) => name === 'Content-Type' && isJsonType(value));
  const options = [
    // Without -g, curl expands brackets to several URLs.
    ...(/[[{]/.test(target) ? ['-g'] : []),
    // With -X HEAD, curl would wait for a response body.
    method === 'HEAD' ? '-I' : `-X ${method}`,
    ...headers.filter(([name]) => isShown || name !== 'Content-Type').map((pair) => `-H ${quote(pair.join(': '))}`),
    ...(isShown ? [`-d ${quote(body.toString('utf8'))}`] : []),
  ];
  const key = findKeyOption(document, scheme);
  const request = { purpose: `call ${id}`, path: quotePath(target), options: options.join(' ') };
  return key === undefined ? request : { ...request, credentials: key };
}

/** Lists the operations that the conformance suite cannot make a valid request for, such as `PUT /photo` with a PNG. */
export function listUntried({ source }: Pick<NewContract, 'source'>): string[] {
  const { model, values } = readSuite(source);
  const untried = model.operations.filter((operation) => validRequest(values, operation, NO_CREDENTIALS).skipReason);
  return untried.map(({ method, path }) => `${method} ${path.replaceAll(' ', '%20')}`);
}

// The service adds the token when it prints the line.
const NO_CREDENTIALS = { credentials: { headers: [], query: [], cookies: [] } };

function readSuite(source: string): Pick<Suite, 'model' | 'values'> {
  return createSuite(source, { bodyLimit: 1024 ** 2, marker: 'example', isTried: () => false });
}

function isOpenTo({ security }: Operation, scheme: string | undefined): boolean {
  return (
    security.length === 0 ||
    security.some((alternative) => alternative.every((requirement) => requirement.scheme === scheme))
  );
}

// Returns curl's option for sending an API key; undefined for a bearer token.
function findKeyOption(document: NormalizedDocument, scheme: string | undefined): string | undefined {
  const node = document.components?.securitySchemes?.[String(scheme)];
  const {
    type,
    in: place,
    name = '',
  } = node ? resolveReference<{ type?: string; in?: string; name?: string }>(document, node) : {};
  if (type !== 'apiKey') return undefined;
  if (place === 'header') return `-H ${quote(`${name}: TOKEN`)}`;
  return `${place === 'query' ? '--url-query' : '-b'} ${quote(`${name}=TOKEN`)}`;
}

/** Quotes a text for a shell. */
function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a path for a shell, unless all its characters are plain to a shell. */
export function quotePath(path: string): string {
  return /^[\w./~%-]*$/.test(path) ? path : quote(path);
}
