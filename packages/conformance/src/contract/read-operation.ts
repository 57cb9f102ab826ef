// Reads one operation of a contract into the model.
import { objectOrEmpty } from '../wire/json';
import { extendPointer } from './pointer';
import { readContents, type Content } from './read-content';
import { resolve, toList, type Contract } from './read-contract';
import { isIgnored, readParameter, readText, type Parameter, type Text } from './read-parameter';
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
  readonly replies: ReadonlyMap<string, Reply>;
}

export interface Body {
  readonly isRequired: boolean;
  readonly pointer: string;
  /** One for each media type, at least one. */
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
 * Reads an operation; its own parameters override those of its path.
 *
 * @throws Untriable when the suite cannot read it
 */
export function readOperation(contract: Contract, item: string, path: string, method: string): Operation {
  const pointer = extendPointer(item, method);
  const { value } = resolve(contract, pointer);
  const shared = toList(resolve(contract, item).value['parameters']).map((_one, index) =>
    extendPointer(item, 'parameters', index),
  );
  const own = toList(value['parameters']).map((_one, index) => extendPointer(pointer, 'parameters', index));
  const parameters = new Map(
    [...shared, ...own]
      .map((at) => readParameter(contract, at))
      .map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]),
  );
  const replies = Object.keys(objectOrEmpty(value['responses'])).filter((status) => !status.startsWith('x-'));
  return {
    id: typeof value['operationId'] === 'string' ? value['operationId'] : `${method} ${path}`,
    method: method.toUpperCase(),
    path,
    pointer,
    ...readSecurity(contract, value['security'] ?? contract.root['security']),
    parameters: [...parameters.values()].filter((parameter) => !isIgnored(parameter)),
    body: value['requestBody'] === undefined ? undefined : readBody(contract, extendPointer(pointer, 'requestBody')),
    replies: new Map(
      replies.map((status) => [status, readReply(contract, extendPointer(pointer, 'responses', status))]),
    ),
  };
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
  const headers = Object.keys(objectOrEmpty(value['headers'])).filter((name) => name.toLowerCase() !== 'content-type');
  return {
    pointer,
    contents,
    headers: new Map(
      headers.map((name) => {
        const header = resolve(contract, extendPointer(pointer, 'headers', name));
        const text = readText(contract, header.pointer, 'simple');
        return [name.toLowerCase(), { ...text, name, isRequired: header.value['required'] === true }];
      }),
    ),
  };
}

// The suite cannot read forms in replies.
function withoutForm(content: Content): Content {
  return content.kind === 'form' ? { ...content, kind: 'other' } : content;
}
