import {
  createSuite,
  examplesOf,
  isIdempotencyKey,
  isJsonType,
  revealSecrets,
  type Suite,
  validRequest,
} from '@contract-kit/conformance';
import type { Example } from '@contract-kit/server';
import { resolveReference, toFileName, type NormalizedDocument, type Operation } from '@contract-kit/contract';
import { toLiteral, toRequestText } from '../generate/contract-text';
import type { Analysis } from '../lint/analyse-contract';
import { writeValue } from './render-error';

/**
 * Creates the valid request that a new project prints as a curl command when it starts. It calls an operation that accepts a token
 * of `scheme`, or else any operation. If there is none, it gets the contract.
 *
 * @param scheme the security scheme for which the service creates a token when it starts
 */
export function makeExample(
  { source, document, operations }: Pick<Analysis, 'source' | 'document' | 'operations'>,
  scheme: string | undefined,
): Example {
  const suite = readSuite(source);
  const accessibleOperations = operations.filter((candidate) => isOpenTo(candidate, scheme));
  for (const operation of accessibleOperations.length > 0 ? accessibleOperations : operations) {
    const request = makeRequest(suite, operation, NO_CREDENTIALS);
    // Leave out a body that is not JSON, since it would not be readable.
    const isShown = !request.body || isJson(request.headers) || operation.body?.isRequired !== true;
    if (isShown && !request.skipReason) return writeExample(operation, request, findKeyOption(document, scheme));
  }
  return { purpose: 'see the contract', path: '/openapi.yaml', options: '' };
}

function writeExample(
  { id, method }: Operation,
  { target, headers, body }: ReturnType<typeof validRequest>,
  key: string | undefined,
): Example {
  const isShown = isJson(headers);
  const options = [
    // Without -g, curl would expand brackets to several URLs.
    ...(/[[{]/.test(target) ? ['-g'] : []),
    // With -X HEAD, curl would wait for a response body.
    method === 'HEAD' ? '-I' : `-X ${method}`,
    ...headers.filter(([name]) => isShown || name !== 'Content-Type').map((pair) => `-H ${quote(pair.join(': '))}`),
    ...(isShown && body ? [`-d ${quote(body.toString('utf8'))}`] : []),
  ];
  const request = { purpose: `call ${id}`, path: quotePath(target), options: options.join(' ') };
  return key === undefined ? request : { ...request, credentials: key };
}

/**
 * Creates a test for one handler, preferably of an operation with few path parameters.
 *
 * @param secrets the credentials that the tests accept, by security scheme
 * @returns the file by path; none if `fetch` cannot send a valid request to an operation that declares a success
 */
export function makeExampleTest(
  { source, operations }: Pick<Analysis, 'source' | 'operations'>,
  secrets: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const suite = readSuite(source);
  for (const operation of operations.toSorted((a, b) => countIds(a) - countIds(b))) {
    const { id, method, path, replies } = operation;
    const { target, headers, body, skipReason } = makeRequest(suite, operation);
    const status = [...replies.keys()].find((key) => /^2\d\d$/.test(String(key)));
    const init = {
      method,
      headers: Object.fromEntries(headers.map(([name, value]) => [name, revealSecrets(value, secrets)])),
      ...(body && { body: body.toString('utf8') }),
    };
    const url = revealSecrets(target, secrets);
    if (skipReason || status === undefined || (body && !isJson(headers)) || !canFetch(url, init)) continue;
    const text = `import { startTestService } from '../start-service';

test(${toLiteral(`${method} ${toRequestText(path)} replies with ${String(status)}`)}, async () => {
  await using service = await startTestService();
  const url = service.base.href.replace(/\\/$/, '') + ${toLiteral(url)};
  const response = await fetch(url, ${writeValue(init)});
  // Remove this line once ${id} is built.
  if (response.headers.has('X-Contract-Kit-Not-Built')) return;
  expect(response.status).toBe(${String(status)});
});
`;
    return { [`tests/handlers/${toFileName(id)}.test.ts`]: text };
  }
  return {};
}

function countIds({ parameters }: Operation): number {
  return parameters.filter(({ location }) => location === 'path').length;
}

// `fetch` changes some paths, and refuses some methods and headers.
function canFetch(target: string, init: RequestInit): boolean {
  try {
    return new Request(`http://localhost${target}`, init).url.endsWith(target.replace(/^(?:\/\.\.)+/, ''));
  } catch {
    return false;
  }
}

// Creates a valid request, with an example body from the contract. The target is relative to the contract's own server.
function makeRequest(
  { model, values }: ReturnType<typeof readSuite>,
  { id, method, path }: Operation,
  difference?: typeof NO_CREDENTIALS,
): ReturnType<typeof validRequest> {
  const testedOperation = model.operations.find((candidate) => candidate.method === method && candidate.path === path);
  if (!testedOperation) throw new Error(`the contract does not have the operation ${id}`);
  // Use the same idempotency key in all projects for a contract.
  const keys = testedOperation.parameters.filter(isIdempotencyKey);
  const places = new Map([
    ...keys.map(({ pointer, schema }) => [pointer, [values.baseOf(schema) as string]] as const),
    ...(testedOperation.body?.contents ?? []).map(
      ({ pointer, schema, examples }) =>
        [pointer, [...examples.map(({ value }) => value), ...examplesOf(schema)]] as const,
    ),
  ]);
  const withKeys = { ...values, fixtures: { ...values.fixtures, places } };
  const request = validRequest(withKeys, testedOperation, difference);
  const { server, target } = request;
  // If the operation has its own server, the target leads there with `/..`, which the client resolves.
  const prefix = server ? '/..'.repeat(server.contractPath.split('/').length - 1) + server.path : '';
  return { ...request, target: prefix + target };
}

function isJson(headers: readonly (readonly [string, string])[]): boolean {
  return headers.some(([name, value]) => name === 'Content-Type' && isJsonType(value));
}

/** An operation for which the conformance suite cannot create a valid request, such as `PUT /photo` with a PNG. */
export interface UntriedOperation {
  readonly request: string;
  /** What the suite cannot create, such as `bodies of type image/png`. */
  readonly reason: string;
}

export function listUntriedOperations(source: string): UntriedOperation[] {
  const { model, values } = readSuite(source);
  return model.operations.flatMap((operation) => {
    const { skipReason } = validRequest(values, operation, NO_CREDENTIALS);
    const request = `${operation.method} ${operation.path.replaceAll(' ', '%20')}`;
    return skipReason ? [{ request, reason: skipReason.reason }] : [];
  });
}

// The example request has no credentials, because the service adds a token when it prints the command.
const NO_CREDENTIALS = { credentials: { headers: [], query: [], cookies: [] } };

function readSuite(source: string): Pick<Suite, 'model' | 'values'> {
  return createSuite(source, { marker: 'example', isTried: () => false });
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
  } = node ? resolveReference<{ type?: string; in?: string; name?: string }>(document, node, 'SecurityScheme') : {};
  if (type !== 'apiKey') return undefined;
  if (place === 'header') return `-H ${quote(`${name}: TOKEN`)}`;
  return `${place === 'query' ? '--url-query' : '-b'} ${quote(`${name}=TOKEN`)}`;
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a path for a shell if it contains special characters. */
export function quotePath(path: string): string {
  return /^[\w./~%-]*$/.test(path) ? path : quote(path);
}
