import type { Request, Response } from 'express';
import { toPlainBody, withNumbers } from './exact-body';
import { toExactJson } from './exact-json';
import type { Operation } from './operation';
import { toCheckedStatus, type Validator } from './validator';

/**
 * The JSON text of a reply as it may be written, empty where there is no body.
 *
 * @throws Error when the contract does not declare this status with this body for the operation
 */
export type ReplyCheck = (status: number, body: unknown) => string;

/**
 * The check of an operation's replies.
 *
 * The validator hooks itself into the `res.json` of each response, and lets pass whatever is written otherwise. Here
 * it is hooked once into a response that is never sent, so that everything that is written can be asked about.
 *
 * @param found what the validator knows of the operation
 */
export async function createReplyCheck(
  validator: Validator,
  { id, method, path, replies }: Operation,
  found: object,
): Promise<ReplyCheck> {
  // Without media types the validator takes the first that is declared, and there is but one.
  const request = { method, originalUrl: path, headers: {}, openapi: found };
  const response = {
    statusCode: 200,
    headersSent: false,
    getHeaders: () => ({}),
    json: (): unknown => undefined,
  };
  let refusal: unknown;
  await new Promise<void>((resolve) => {
    validator.hookReply(request as unknown as Request, response as unknown as Response, (error?: unknown) => {
      refusal = error;
      resolve();
    });
  });
  const hookedJson: (body: unknown) => unknown = response.json;

  return function checkReply(status, body) {
    if (!replies.has(status)) throw new Error(`${id} does not declare the status ${String(status)}`);
    refusal = undefined;
    response.statusCode = toCheckedStatus(status);
    const shape = replies.get(status);
    const plain = toPlainBody(shape, body);
    hookedJson.call(response, withNumbers(shape, plain));
    if (refusal !== undefined) throw refusal as Error;
    if (shape === undefined) return '';
    return shape.holdsInt64 ? toExactJson(plain) : JSON.stringify(plain);
  };
}
