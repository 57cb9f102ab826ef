import type { Enforceable } from './enforceable';
import type { OpenApi } from './enforcement';
import type { Message } from './message';
import type { Validator } from './validator';

/** @throws Error of the validator when a reply, its numbers doubles, is not what the contract says */
export type ValidateReply = (message: Message, value: unknown) => void;

/**
 * What express-openapi-validator says of an operation's replies.
 *
 * It hooks itself into the `res.json` of each response, and lets pass whatever is written otherwise. Here it is hooked
 * once into a response that is never sent, so that everything that is written can be asked about.
 *
 * @param openapi what the validator knows of the operation
 */
export async function createReplyValidator(
  validator: Validator,
  { path, replies }: Enforceable,
  openapi: OpenApi,
): Promise<ValidateReply> {
  const request = { method: 'POST', originalUrl: path, headers: {}, openapi };
  const response = { statusCode: 0, headersSent: false, getHeaders: () => ({}), json: (): unknown => undefined };
  let refusal: unknown;
  await new Promise<void>((resolve) => {
    validator.hookReply(request as never, response as never, (error) => {
      refusal = error;
      resolve();
    });
  });
  const hookedJson: (value: unknown) => unknown = response.json;
  return function validateReply(message, value) {
    refusal = undefined;
    response.statusCode = Number(replies.get(message));
    hookedJson.call(response, value);
    if (refusal !== undefined) throw refusal as Error;
  };
}
