// The curl line that a new service prints.
import { createSuite, isJsonType, validRequest } from '@contract-kit/conformance';
import type { Example } from '@contract-kit/server';
import {
  type NormalizedDocument as Document,
  METHODS,
  type Operation,
  pathsOf,
  resolvePathItem,
} from '@contract-kit/server/contract';
import { quote, quotePath } from './quote';

/** Makes a right request to try with curl: to the first operation that a bearer token opens, or else to the first one. */
export function makeExample(document: Document, operations: readonly Operation[]): Example {
  const operation = operations.find(isOpenToBearer) ?? operations[0];
  if (!operation) return { purpose: 'see the contract', path: '/openapi.yaml', options: '' };
  const { id, method } = operation;
  const { model, values } = createSuite(withOnly(document, operation), { bodyLimit: 1024 ** 2, mark: 'example' });
  const [single] = model.operations;
  if (!single) throw new Error(`${id} is no operation of its contract`);
  const credentials = { headers: [], query: [], cookies: [] };
  const { target, headers, body } = validRequest(values, single, { credentials });
  // The text of a body that is not JSON is nothing to look at.
  const isShown = body !== undefined && headers.some(([name, value]) => name === 'Content-Type' && isJsonType(value));
  const options = [
    // Without -g, curl takes brackets for a list of targets.
    ...(/[[{]/.test(target) ? ['-g'] : []),
    `-X ${method}`,
    ...headers.filter(([name]) => isShown || name !== 'Content-Type').map((pair) => `-H ${quote(pair.join(': '))}`),
    ...(isShown ? [`-d ${quote(body.toString('utf8'))}`] : []),
  ];
  return { purpose: `call ${id}`, path: quotePath(target), options: options.join(' ') };
}

function isOpenToBearer({ security }: Operation): boolean {
  return security.some((alternative) => alternative.every(({ challenge }) => challenge === 'Bearer'));
}

// A contract with one operation, so that the suite makes cases of no other.
function withOnly(document: Document, { path, method, object }: Operation): string {
  const item = Object.entries(resolvePathItem(document, pathsOf(document)[path] ?? {}));
  const others = item.filter(([name]) => !METHODS.has(name));
  const paths = { [path]: { ...Object.fromEntries(others), [method.toLowerCase()]: object } };
  return JSON.stringify({ ...document, paths });
}
