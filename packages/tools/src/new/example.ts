// Makes the request that a new project prints as a curl line at its start.
import { createSuite, isIdempotencyKey, isJsonType, type Suite, validRequest } from '@contract-kit/conformance';
import type { Example } from '@contract-kit/server';
import { resolveReference, type NormalizedDocument, type Operation } from '@contract-kit/contract';
import type { NewContract } from './read-contract';

/**
 * Makes a right request: to the first operation that a token of a security scheme opens, or else to the first one.
 *
 * @param scheme the security scheme of the tokens that are made at the start; undefined if there is none
 */
export function makeExample(
  { source, document, operations }: Pick<NewContract, 'source' | 'document' | 'operations'>,
  scheme: string | undefined,
): Example {
  const operation = operations.find((one) => isOpenTo(one, scheme)) ?? operations[0];
  if (!operation) return { purpose: 'see the contract', path: '/openapi.yaml', options: '' };
  const { id, method, path } = operation;
  const { model, values } = readSuite(source);
  const found = model.operations.find((one) => one.method === method && one.path === path);
  if (!found) throw new Error(`${id} is no operation of its contract`);
  // The same key in each project of a contract, so that an update changes no line.
  const keys = found.parameters.filter(isIdempotencyKey);
  const places = new Map(keys.map(({ pointer, schema }) => [pointer, [values.baseOf(schema) as string]]));
  const withKeys = { ...values, fixtures: { ...values.fixtures, places } };
  const { target, headers, body } = validRequest(withKeys, found, NO_CREDENTIALS);
  // The text of a body that is not JSON is nothing to look at.
  const isShown = body !== undefined && headers.some(([name, value]) => name === 'Content-Type' && isJsonType(value));
  const options = [
    // Without -g, curl takes brackets for a list of targets.
    ...(/[[{]/.test(target) ? ['-g'] : []),
    // With -X, curl waits for the body of a reply to HEAD.
    method === 'HEAD' ? '-I' : `-X ${method}`,
    ...headers.filter(([name]) => isShown || name !== 'Content-Type').map((pair) => `-H ${quote(pair.join(': '))}`),
    ...(isShown ? [`-d ${quote(body.toString('utf8'))}`] : []),
  ];
  const key = findKeyOption(document, scheme);
  const request = { purpose: `call ${id}`, path: quotePath(target), options: options.join(' ') };
  return key === undefined ? request : { ...request, credentials: key };
}

/** Lists what the conformance suite has no right request for, such as `PUT /photo`, whose body is a PNG. */
export function listUntried({ source }: Pick<NewContract, 'source'>): string[] {
  const { model, values } = readSuite(source);
  const untried = model.operations.filter((one) => validRequest(values, one, NO_CREDENTIALS).skipReason);
  return untried.map(({ method, path }) => `${method} ${path.replaceAll(' ', '%20')}`);
}

// The line that is printed adds the token.
const NO_CREDENTIALS = { credentials: { headers: [], query: [], cookies: [] } };

function readSuite(source: string): Pick<Suite, 'model' | 'values'> {
  return createSuite(source, { bodyLimit: 1024 ** 2, marker: 'example', isTried: () => false });
}

function isOpenTo({ security }: Operation, scheme: string | undefined): boolean {
  return security.length === 0 || security.some((alternative) => alternative.every((one) => one.scheme === scheme));
}

// curl's option that sends an API key; undefined for a bearer token.
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

/** Quotes a path for a shell, unless it has only characters that mean nothing to a shell. */
export function quotePath(path: string): string {
  return /^[\w./~%-]*$/.test(path) ? path : quote(path);
}
