// Reads one operation of a contract into the model.
import { objectOrEmpty } from '../wire/json';
import { extendPointer } from './pointer';
import { readContents, type Content } from './read-content';
import { resolve, toList, type Contract } from './read-contract';
import { isIgnoredHeader, readParameter, readText, type Parameter, type Text } from './read-parameter';
import { readSecurity, type Security } from './read-security';
import { Untriable } from './untried';

export const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'] as const;

/** An operation of the contract, as the suite reads it. */
export interface Operation extends Security {
  readonly id: string;
  /** In capitals. */
  readonly method: string;
  readonly path: string;
  readonly pointer: string;
  readonly parameters: readonly Parameter[];
  readonly body: Body | undefined;
  /** By status: `200`, `4XX` or `default`. */
  readonly replies: ReadonlyMap<string, Reply>;
}

export interface Body {
  readonly isRequired: boolean;
  readonly pointer: string;
  readonly contents: readonly [Content, ...Content[]];
}

export interface Reply {
  readonly pointer: string;
  /** One for each media type; none where there is no body. */
  readonly contents: readonly Content[];
  /** By their names in lower case. */
  readonly headers: ReadonlyMap<string, ReplyHeader>;
}

export interface ReplyHeader extends Text {
  /** In the contract's spelling. */
  readonly name: string;
  readonly isRequired: boolean;
}

/**
 * @param pathItem the pointer to the path item, such as `#/paths/~1books`
 * @throws Untriable when the suite cannot read the operation
 */
export function readOperation(contract: Contract, pathItem: string, path: string, method: string): Operation {
  const pointer = extendPointer(pathItem, method);
  const { value } = resolve(contract, pointer);
  const { operationId, responses, requestBody } = value;
  const shared = readParameters(contract, pathItem);
  const own = readParameters(contract, pointer);
  // Location and name identify a parameter; the operation's own ones, the last, override those of the path item.
  const parameters = new Map([...shared, ...own].map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  const statuses = Object.keys(objectOrEmpty(responses)).filter((status) => !status.startsWith('x-'));
  return {
    id: typeof operationId === 'string' ? operationId : `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    pointer,
    ...readSecurity(contract, value['security'] ?? contract.root['security']),
    parameters: [...parameters.values()].filter((parameter) => !isIgnoredHeader(parameter)),
    body: requestBody === undefined ? undefined : readBody(contract, extendPointer(pointer, 'requestBody')),
    replies: new Map(
      statuses.map((status) => [status, readReply(contract, extendPointer(pointer, 'responses', status))]),
    ),
  };
}

function readParameters(contract: Contract, pointer: string): Parameter[] {
  const { parameters } = resolve(contract, pointer).value;
  return toList(parameters).map((_one, index) => readParameter(contract, extendPointer(pointer, 'parameters', index)));
}

function readBody(contract: Contract, at: string): Body {
  const { value, pointer } = resolve(contract, at);
  const [first, ...others] = readContents(contract, pointer);
  if (!first) throw new Untriable('bodies without content', pointer);
  return { isRequired: value['required'] === true, pointer, contents: [first, ...others] };
}

function readReply(contract: Contract, at: string): Reply {
  const { value, pointer } = resolve(contract, at);
  const contents = readContents(contract, pointer).map(withoutForm);
  // OpenAPI, Response Object: a header Content-Type is ignored.
  const names = Object.keys(objectOrEmpty(value['headers'])).filter((name) => name.toLowerCase() !== 'content-type');
  const headers = names.map((name): [string, ReplyHeader] => {
    const header = resolve(contract, extendPointer(pointer, 'headers', name));
    // OpenAPI, Header Object: `simple` is the only style of headers.
    const text = readText(contract, header.pointer, 'simple');
    return [name.toLowerCase(), { ...text, name, isRequired: header.value['required'] === true }];
  });
  return { pointer, contents, headers: new Map(headers) };
}

// The suite cannot read URL-encoded forms in replies.
function withoutForm(content: Content): Content {
  return content.kind === 'form' ? { ...content, kind: 'other' } : content;
}
