// Reads a parameter that is the whole query (OpenAPI 3.2, Parameter Object, `in: querystring`).
import { readContent, type Media } from './content';
import { toRequestMessage, type MessageSchema, type WholeValue } from './message';
import type { Credentials } from './credentials';
import type { Parameter } from './parameters';
import {
  resolveReference,
  type NormalizedDocument,
  type OperationObject,
  type ParameterObject,
  type PathItem,
} from '../2-resolve/document';
import { isOpenApi32 } from '../2-resolve/schema';
import { DocumentError } from '../text/document-error';

export interface Querystring extends WholeValue {
  readonly shape: MessageSchema['shape'];
}

/** @throws DocumentError if the operation has several such parameters, an unsupported one, or query parameters as well */
export function readQuerystring(
  document: NormalizedDocument,
  { item, object }: { readonly item: PathItem; readonly object: OperationObject },
  parameters: readonly Parameter[],
  security: readonly (readonly Credentials[])[],
): Querystring | undefined {
  const find = (nodes: PathItem['parameters'] = []): ParameterObject[] =>
    nodes
      .map((node) => resolveReference<ParameterObject>(document, node, 'Parameter'))
      .filter((parameter) => parameter.in === 'querystring' && isOpenApi32(document.openapi));
  const own = find(object.parameters);
  const all = [...own, ...find(item.parameters).filter(({ name }) => !own.some((other) => other.name === name))];
  const [only, another] = all;
  if (!only) return undefined;
  if (another) throw new DocumentError(another, 'only one parameter may be in querystring', 'in');
  const queryParameter = parameters.find(({ location }) => location === 'query');
  if (queryParameter)
    throw new DocumentError(only, `the query is one value, so that ${queryParameter.name} cannot be in it, too`, 'in');
  const [media, anotherMedia] = only.schema === undefined ? readContent(document, only.content ?? {}, false) : [];
  if (!media || anotherMedia || !isText(media))
    throw new DocumentError(only, 'a parameter in querystring needs content with one media type: a form, JSON or text');
  const { scheme } = security.flat().find(({ key }) => key?.location === 'query') ?? {};
  if (scheme !== undefined && media.kind !== 'form')
    throw new DocumentError(only, `the query is ${media.type}, so that it has no place for the key of ${scheme}`);
  const whole = { media, isRequired: only.required === true };
  return { ...whole, shape: toRequestMessage(document, [], undefined, whole).shape };
}

function isText({ kind }: Media): boolean {
  return kind === 'form' || kind === 'json' || kind === 'text';
}
