// Sends a request again while the reply is 429.
import { setTimeout as wait } from 'node:timers/promises';
import { valuesOf, type WireReply } from './wire/reply';

/** How a server is asked that may say that it is asked too much. */
interface Patience {
  /** How often a request is sent again that is answered 429. */
  readonly patience?: number;
  /** How long one reply may take, and each wait for the next, in milliseconds. */
  readonly timeout: number;
}

/** Asks again, as long as the reply is 429 and there is patience left, after the time that the server wants. */
export async function askPatiently<Answer extends object>(
  { patience = 0, timeout }: Patience,
  ask: () => Promise<Answer[]>,
): Promise<Answer[]> {
  let answers = await ask();
  for (let left = patience; left > 0; left--) {
    const limited = answers.map(replyOf).find((reply) => reply?.status === 429);
    if (!limited) return answers;
    await wait(Math.min(toPause(limited), timeout));
    answers = await ask();
  }
  return answers;
}

function replyOf(answer: { readonly reply?: WireReply } | object): WireReply | undefined {
  return 'reply' in answer ? answer.reply : undefined;
}

/** In milliseconds (RFC 9110 section 10.2.3); a date counts as a second. */
function toPause(reply: WireReply): number {
  const [seconds = ''] = valuesOf(reply, 'retry-after');
  return 1_000 * (/^\d{1,6}$/.test(seconds) ? Number(seconds) : 1);
}

/** Whether nothing can be said of replies, since there were too many requests for the server. */
export function isLimited({ patience = 0 }: Pick<Patience, 'patience'>, replies: readonly WireReply[]): boolean {
  return patience > 0 && replies.some(({ status }) => status === 429);
}
