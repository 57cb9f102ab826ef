// Sends a request again while the reply is 429.
import { setTimeout as wait } from 'node:timers/promises';
import { valuesOf, type WireReply } from './wire/reply';

interface Patience {
  /** How often a request is repeated after 429. */
  readonly patience?: number;
  /** The longest time for one reply, and for each wait, in milliseconds. */
  readonly timeout: number;
}

/** Repeats `ask` while a reply is 429, at most `patience` times, after its Retry-After. Returns the last answers. */
export async function askPatiently<Answer extends object>(
  { patience = 0, timeout }: Patience,
  ask: () => Promise<Answer[]>,
): Promise<Answer[]> {
  let answers = await ask();
  for (let repeats = 0; repeats < patience; repeats++) {
    const limited = answers.map(replyOf).find((reply) => reply?.status === 429);
    if (!limited) return answers;
    await wait(Math.min(retryAfterMs(limited), timeout));
    answers = await ask();
  }
  return answers;
}

function replyOf(answer: { readonly reply?: WireReply } | object): WireReply | undefined {
  return 'reply' in answer ? answer.reply : undefined;
}

/** Retry-After in milliseconds (RFC 9110 section 10.2.3); one second without it, and for a date. */
function retryAfterMs(reply: WireReply): number {
  const [seconds = ''] = valuesOf(reply, 'retry-after');
  return 1_000 * (/^\d{1,6}$/.test(seconds) ? Number(seconds) : 1);
}

/** Whether replies cannot be judged, since the server still limits the rate. */
export function isLimited({ patience = 0 }: Pick<Patience, 'patience'>, replies: readonly WireReply[]): boolean {
  return patience > 0 && replies.some(({ status }) => status === 429);
}
