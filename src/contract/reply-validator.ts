import type { OpenApi } from './enforcement';
import type { Message } from './message';
import type { Validator } from './validator';

/** @throws Error of the validator when a reply, its numbers doubles, is not what the contract says */
export type ValidateReply = (message: Message, value: unknown) => void;

/**
 * What express-openapi-validator says of replies.
 *
 * It hooks itself into the `res.json` of each response, and lets pass whatever is written otherwise. Here it is hooked
 * once into a response that is never sent, so that everything that is written can be asked about.
 *
 * @param names the property that stands for each message
 * @param openapi what the validator knows of the messages
 */
export async function createReplyValidator(
  validator: Validator,
  names: ReadonlyMap<Message, string>,
  openapi: OpenApi,
): Promise<ValidateReply> {
  const request = { method: 'POST', originalUrl: '/', headers: {}, openapi };
  const response = { statusCode: 200, headersSent: false, getHeaders: () => ({}), json: (): unknown => undefined };
  const told: { refusal?: Error | undefined } = {};
  await new Promise<void>((resolve) => {
    validator.hookReply(request as never, response as never, (error) => {
      told.refusal = error;
      resolve();
    });
  });
  const hookedJson: (value: unknown) => unknown = response.json;
  return function validateReply(message, value) {
    const name = String(names.get(message));
    told.refusal = undefined;
    hookedJson.call(response, { [name]: value });
    const { refusal } = told as { refusal?: Error };
    if (!refusal) return;
    refusal.message = refusal.message.replaceAll(`/response/${name}`, '/response');
    throw refusal;
  };
}
