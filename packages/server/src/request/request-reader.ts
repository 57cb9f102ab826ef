// Reads a request: its parameters, and its body.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from '../http/message-classes';
import { isReadEarlier, parseEarlierBody } from './earlier-body';
import { negotiateBody, receiveBody, type BodyLimits } from './receive-body';
import { Refusal } from '../errors/refusal';
import type { BodyMedia } from '../contract/operation/bodies-and-replies';
import { isRange, parseMediaType } from '../contract/operation/media-type';
import type { Message, Groups } from '../contract/operation/message';
import type { Operation } from '../contract/operation/operation';
import { parseBody } from './parse-body';
import { createParameterReader, type ParameterTexts } from './parameters';

/** A request that was parsed, but not validated. */
export interface ReadRequest {
  readonly message: Message;
  /** The message's value, with numbers as doubles. */
  readonly value: Groups;
  /** The same structure with int64s as the text that was sent (see ReadValue). */
  readonly tokens: Groups;
  /** The media type of its body: as the contract spells it, or where that is a range, in lower case without parameters. */
  readonly contentType: string | undefined;
}

/** @throws Refusal when a request cannot be read */
export type RequestReader = (req: IncomingMessage, res: ServerResponse, texts: ParameterTexts) => Promise<ReadRequest>;

/** Finds the message that a request is validated as: one for each media type of the body, and one for no body. */
export function createRequestReader(operation: Operation, limits: BodyLimits): RequestReader {
  const { body, messageWithoutBody } = operation;
  const readParameters = createParameterReader(operation);
  return async function readRequest(req, res, texts) {
    const { value, tokens } = readParameters(texts);
    if (body && announcesBody(req)) {
      const media = negotiateBody(req, body, limits.limit);
      const parsed = isReadEarlier(req)
        ? parseEarlierBody(req, media, limits.limit)
        : parseBody(media, await receiveBody(req, res, limits), String(req.headers['content-type']));
      // Undefined for an empty body, which counts as none.
      if (parsed) {
        value['body'] = parsed.value;
        tokens['body'] = parsed.tokens;
        return { message: media, value, tokens, contentType: nameMedia(media, req) };
      }
    }
    if (!messageWithoutBody) throw new Refusal('BODY_REQUIRED');
    return { message: messageWithoutBody, value, tokens, contentType: undefined };
  };
}

function nameMedia({ type, declared }: BodyMedia, { headers }: IncomingMessage): string {
  return isRange(declared) ? String(parseMediaType(String(headers['content-type']))?.name) : type;
}
