// Finds a URL below which the contract is not served.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import { toList } from '../contract/read-contract';
import { exchange } from '../exchange';
import type { Target } from '../run-case';
import type { Suite } from '../suite';
import { isJsonObject, toText } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import { countOperations, hasPathParameter, UNKNOWN, type Answer } from './answer';

/** Describes a wrong path in the URL: every operation has 404, even those without ids. */
export async function findWrongPath(
  { model }: Suite,
  target: Target,
  answers: readonly Answer[],
): Promise<string | undefined> {
  const { base } = target;
  const withoutParameters = answers.filter(({ operation }) => !hasPathParameter(operation));
  if (withoutParameters.length === 0 || answers.some(({ reply }) => reply.status !== 404)) return undefined;
  for (const { operation, right, reply } of withoutParameters) {
    const elsewhere = { ...right, request: { ...right.request, target: UNKNOWN.target } };
    const [other] = await exchange(target, elsewhere);
    // A declared 404 may come from the operation itself, unless an unknown path has the same reply.
    const isSame = other && 'reply' in other && isSameReply([right, reply], [elsewhere, other.reply], base);
    if (declares404(operation) && !isSame) return undefined;
  }
  const [server] = toList(model.contract.root['servers']);
  const address = isJsonObject(server) ? toText(server['url']) : '';
  // A server URL with variables is no address.
  const named = address.includes('{') ? undefined : URL.parse(address, base)?.pathname;
  const hint = named === undefined || named === base.pathname ? '' : ` The contract names ${named}.`;
  return `Nothing of the contract is found under ${base.pathname}: 404 to right requests of ${countOperations(answers)}. Is the path in --url right?${hint}`;
}

function declares404({ replies }: Operation): boolean {
  return replies.has('404') || replies.has('4XX');
}

/** Whether two replies have the same status, media type and body, apart from the path of their request, which a 404 may repeat. */
function isSameReply(
  [testCase, left]: [Case, WireReply],
  [other, right]: [Case, WireReply],
  { pathname }: URL,
): boolean {
  const prefix = pathname.replace(/\/$/, '');
  const contentOf = ({ request }: Case, reply: WireReply): string =>
    `${valuesOf(reply, 'content-type').join()} ${reply.body.toString('utf8').replaceAll(prefix + request.target, '')}`;
  return left.status === right.status && contentOf(testCase, left) === contentOf(other, right);
}
