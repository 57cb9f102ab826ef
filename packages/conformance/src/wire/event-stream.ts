// Recognizes streams of server-sent events.
import { essenceOf } from '../contract/media-type';
import type { Header } from './request';

const HEAD_END = '\r\n\r\n';

/** Whether a reply is a stream of server-sent events (HTML standard), by its head; undefined until that is complete. */
export function isEventStream(received: Buffer): boolean | undefined {
  const headLength = received.indexOf(HEAD_END);
  if (headLength === -1) return undefined;
  const head = received.toString('latin1', 0, headLength);
  return /^content-type:[ \t]*text\/event-stream[ \t]*(?:;|\r?$)/im.test(head);
}

export function hasBody(received: Buffer): boolean {
  return received.length > received.indexOf(HEAD_END) + HEAD_END.length;
}

export function hasEventStreamType(headers: readonly Header[]): boolean {
  return headers.some(([name, value]) => name === 'content-type' && essenceOf(value) === 'text/event-stream');
}

/** Whether bytes are UTF-8 so far: a stream may be cut within its last character. */
export function beginsAsUtf8(bytes: Buffer): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
