import { setTimeout } from 'node:timers/promises';
import { errors } from '../../generated/contract';

/**
 * As `fetch`, for a client that does what a 503 asks of it: it comes again after Retry-After. On a busy machine a service
 * may be overloaded for a moment. A 503 that says more than its row of the catalogue is a reply like any other.
 */
export async function fetchPatiently(url: string, init?: RequestInit): Promise<Response> {
  for (;;) {
    const reply = await fetch(url, init);
    const seconds = Number(reply.headers.get('retry-after'));
    if (reply.status !== 503 || !(await saysNoMore(reply.clone()))) return reply;
    await setTimeout(seconds * 1000);
  }
}

async function saysNoMore(refusal: Response): Promise<boolean> {
  const { message } = (await refusal.json()) as { message?: unknown };
  return message === errors.SERVICE_UNAVAILABLE.meaning;
}
