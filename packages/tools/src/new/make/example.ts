import { isUtf8 } from 'node:buffer';
import type { Example } from '@contract-kit/server';
import { quote, quotePath } from '../quote';
import { type Operation, toBody, validRequest, isJsonType, type Suite, writeJson } from '@contract-kit/conformance';

/** A request to try: a right one to the first operation that a bearer token opens, with a body as the contract shows it. */
export function makeExample({ model, values }: Suite): Example {
  const [first] = model.operations;
  const operation = model.operations.find(isOpenToBearer) ?? first;
  if (!operation) throw new Error('there is no operation');
  const [content] = operation.body?.contents ?? [];
  const [shown] = content && isJsonType(content.mediaType) ? content.examples : [];
  const { method, target, headers, body } = validRequest(values, operation, {
    credentials: { headers: [], query: [], cookies: [] },
    ...(shown && { body: toBody(writeJson(shown.value)) }),
  });
  const options = [
    `-X ${method}`,
    ...headers.map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body && isUtf8(body) ? [`-d ${quote(body.toString('utf8'))}`] : []),
  ];
  return { purpose: `call ${operation.id}`, path: quotePath(target), options: options.join(' ') };
}

function isOpenToBearer({ alternatives }: Operation): boolean {
  return alternatives.some((schemes) => schemes.every(({ kind }) => kind === 'bearer'));
}
