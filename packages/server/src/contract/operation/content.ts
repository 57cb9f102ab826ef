import { resolveReference, type Content, type Document, type Schema } from '../document/document';
import { toMediaKind, type MediaKind } from './media-type';
import { Mistake } from '../document/mistake';

/** A body of one media type. */
export interface Media {
  /** As the contract spells it. */
  readonly type: string;
  readonly kind: MediaKind;
  /** Allows anything for a binary body, and for one that the contract gives no schema. */
  readonly schema: Schema;
}

const ANYTHING: Schema = {};
const TEXT: Schema = { type: 'string' };

/**
 * Reads the bodies that a request or a reply may have, in the order of the contract.
 *
 * @throws Mistake when the kit cannot read, write or validate one of them
 */
export function readContent(document: Document, content: Content, isReply: boolean): Media[] {
  return Object.entries(content).map(([type, { schema }]) => {
    const kind = toMediaKind(content, type, isReply);
    if (schema === undefined) return { type, kind, schema: kind === 'text' ? TEXT : ANYTHING };
    if (kind === 'binary') {
      assertBinary(document, schema);
      return { type, kind, schema: ANYTHING };
    }
    const { type: types } = resolveReference(document, schema);
    if (kind === 'text' && types !== 'string') throw new Mistake(schema, `a body of ${type} needs the type string`);
    return { type, kind, schema };
  });
}

function assertBinary(document: Document, schema: Schema): void {
  const { type, format, ...rest } = resolveReference(document, schema);
  const isPlain = Object.keys(rest).every((keyword) => keyword === 'description' || keyword === 'title');
  if (type !== 'string' || format !== 'binary' || !isPlain) {
    throw new Mistake(schema, 'nothing of bytes is checked: write { type: string, format: binary } and nothing else');
  }
}
