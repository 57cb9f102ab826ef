// Leaves out defaults that their schemas refuse: clients that send nothing would be told of them.
import type { Document } from '../document/document';
import { findSchemas } from '../document/find-schemas';
import { isOpenApi30 } from '../document/keywords';
import { ContractError, describeMistakes, Mistake } from '../document/mistake';
import { holds } from '../document/parts';
import type { Schema } from '../document/schema';
import type { Message } from '../operation/message';
import type { Compilers } from './compile';
import type { MessageDocument } from './document';

/**
 * Removes them from the document that is compiled next.
 *
 * @throws ContractError for those of requests in OpenAPI 3.0, where a default MUST conform to its schema (Schema Object)
 */
export function refuseDefaults(
  document: Document,
  requests: Iterable<Message>,
  { defaults }: Pick<MessageDocument, 'defaults'>,
  { matches }: Pick<Compilers, 'matches'>,
): void {
  const wrong = [...defaults].filter(([copy]) => !matches(copy, copy.default));
  for (const [copy] of wrong) Reflect.deleteProperty(copy, 'default');
  if (wrong.length === 0 || !isOpenApi30(document.openapi)) return;
  const ofRequests = new Set<Schema>();
  for (const { schema } of requests) holds(document, schema, () => false, ofRequests);
  // OpenAPI 3.0.0 said nothing of `nullable` without a type, where many have `default: null`.
  const originals = new Set(
    wrong.map(([, original]) => original).filter(({ nullable, ...one }) => !nullable || one.default !== null),
  );
  // Without those that the kit itself writes, beside the reference of a parameter.
  const mistakes = [...findSchemas(document)]
    .filter((schema) => originals.has(schema) && ofRequests.has(schema))
    .map((schema) => new Mistake(schema, 'the default is not valid under its schema', 'default'));
  if (mistakes.length > 0) throw new ContractError(describeMistakes('', document, mistakes));
}
