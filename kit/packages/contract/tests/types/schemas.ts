// Compiled, never run: `npm run types` fails when one of the mistakes below compiles.
import { toPlainDocument } from '../../src/3-plain/plain-document';
import { createShape } from '../../src/4-shape/shape';
import type { Document } from '../../src/2-resolve/document';
import { inPlaceSchemasOf } from '../../src/2-resolve/find-schemas';
import type { NormalizedSchema, ValidatorSchema, WrittenSchema } from '../../src/2-resolve/schema';

/** No copy of a schema is taken for another one, nor for one of another document. */
export function mix(written: Document, one: WrittenSchema, plain: NormalizedSchema, copy: ValidatorSchema): unknown[] {
  const normalized = toPlainDocument(written);
  return [
    createShape(normalized, plain),
    inPlaceSchemasOf(written, one),
    // @ts-expect-error the document is as it is written
    createShape(written, plain),
    // @ts-expect-error the schema is as it is written
    createShape(normalized, one),
    // @ts-expect-error the schema is of the normalized document
    inPlaceSchemasOf(written, plain),
    // @ts-expect-error the schema is the validator's
    createShape(normalized, copy),
    // @ts-expect-error the document is normalized already
    toPlainDocument(normalized),
  ];
}
