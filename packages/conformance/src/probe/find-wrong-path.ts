// Finds a URL below which the contract is not served.
import type { Case } from '../case';
import type { Model, Operation } from '../contract/model';
import { toList } from '../contract/read-contract';
import { exchange } from '../exchange';
import type { Target } from '../target';
import type { Suite } from '../suite';
import { isJsonObject, toText } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { countOperations, hasPathParameter, UNKNOWN_PATH_REQUEST, type Answer } from './answer';

/** Says that every operation replied 404, even those without path parameters, where no guessed id can be the reason. */
export async function findWrongPath(
  { model }: Suite,
  target: Target,
  answers: readonly Answer[],
): Promise<string | undefined> {
  const { base } = target;
  const withoutParameters = answers.filter(({ operation }) => !hasPathParameter(operation));
  if (withoutParameters.length === 0 || answers.some(({ reply }) => reply.status !== 404)) return undefined;
  for (const { operation, validCase, reply } of withoutParameters) {
    const unknownPathCase = { ...validCase, request: { ...validCase.request, target: UNKNOWN_PATH_REQUEST.target } };
    const [other] = await exchange(target, unknownPathCase);
    // A declared 404 may come from the operation itself, unless an unknown path has the same reply.
    const isSame = other && 'reply' in other && isSameReply([validCase, reply], [unknownPathCase, other.reply], base);
    if (declares404(operation) && !isSame) return undefined;
  }
  const serverPath = serverPathOf(model, base);
  const hint = serverPath === undefined || serverPath === base.pathname ? '' : ` The contract names ${serverPath}.`;
  return `Nothing of the contract is found under ${base.pathname}: 404 to right requests of ${countOperations(answers)}. Is the path in --url right?${hint}`;
}

// The path of the first URL in `servers` of the contract; undefined if the URL has variables, such as `{host}`.
function serverPathOf({ contract }: Model, base: URL): string | undefined {
  const [server] = toList(contract.root['servers']);
  const address = isJsonObject(server) ? toText(server['url']) : '';
  return address.includes('{') ? undefined : URL.parse(address, base)?.pathname;
}

function declares404({ replies }: Operation): boolean {
  return replies.has('404') || replies.has('4XX');
}

// Compares status, media type and body, without the paths of the requests, which a 404 may repeat in its body.
function isSameReply(
  [firstCase, first]: [Case, WireReply],
  [secondCase, second]: [Case, WireReply],
  { pathname }: URL,
): boolean {
  const prefix = pathname.replace(/\/$/, '');
  const contentOf = ({ request }: Case, reply: WireReply): string => {
    const body = reply.body.toString('utf8').replaceAll(prefix + request.target, '');
    return `${valuesOf(reply, 'content-type').join()} ${body}`;
  };
  return first.status === second.status && contentOf(firstCase, first) === contentOf(secondCase, second);
}
