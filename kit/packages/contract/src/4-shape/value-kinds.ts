// Finds the kinds of values that a schema allows, which decide how parameters and forms are parsed.
import { resolveReference, type NormalizedDocument } from '../2-resolve/document';
import { itemSchemas } from '../2-resolve/find-schemas';
import { schemasOf, typesRestrictedBy, type NormalizedSchema } from '../2-resolve/schema';
import { jsonTypesOf } from '../2-resolve/supported';

/** A JSON type, a file (bytes), or any value. */
export type ValueKind = 'any' | 'array' | 'boolean' | 'file' | 'integer' | 'null' | 'number' | 'object' | 'string';

/** The kinds of values that a schema allows; empty if it does not restrict them. */
export type ValueKinds = ReadonlySet<ValueKind>;

export const NO_KINDS: ValueKinds = new Set();
export const ANY: ValueKinds = new Set(['any']);
const NUMBER_FORMAT = /^u?int\d+$|^(?:float|double)$/;
// Matches an encoding that does not change the bytes (RFC 2045 section 6.2).
const RAW_ENCODING = /^(?:7bit|8bit|binary)$/i;

/**
 * Whether a schema describes bytes. OpenAPI 3.0 uses the format binary, and 3.1 a media type without an encoding such as
 * base64.
 */
export function isBytes(
  schema: NormalizedSchema & { readonly contentMediaType?: unknown; readonly contentEncoding?: string },
): boolean {
  const { format, contentMediaType, contentEncoding } = schema;
  if (format === 'binary') return true;
  if (contentEncoding === undefined) return contentMediaType !== undefined;
  return RAW_ENCODING.test(contentEncoding) && (contentMediaType !== undefined || /^binary$/i.test(contentEncoding));
}

/** Returns the kinds that a schema, its allOf and its alternatives allow. */
export function readValueKinds(document: NormalizedDocument, node: NormalizedSchema): ValueKinds {
  return combineKinds(document, node, ['allOf', 'anyOf', 'oneOf'], readOwnKinds);
}

/** Returns the kinds that an array schema allows for items. */
export function readItemKinds(document: NormalizedDocument, node: NormalizedSchema): ValueKinds {
  return combineKinds(document, node, ['allOf', 'anyOf', 'oneOf'], (schema) => {
    const items = [...(schema.prefixItems ?? []), ...itemSchemas([schema])];
    return uniteKinds(items.map((item) => readValueKinds(document, item)));
  });
}

/** Combines the kinds of a schema and of the schemas under `keywords`. `readOwn` reads the kinds of one schema. */
export function combineKinds(
  document: NormalizedDocument,
  node: NormalizedSchema,
  keywords: readonly ('allOf' | 'anyOf' | 'oneOf' | 'then' | 'else' | 'dependentSchemas')[],
  readOwn: (schema: NormalizedSchema, inner: ValueKinds) => ValueKinds,
): ValueKinds {
  const cache = new Map<NormalizedSchema, ValueKinds>();
  return combine(node);

  function combine(child: NormalizedSchema): ValueKinds {
    const schema = resolveReference(document, child);
    const cached = cache.get(schema);
    if (cached) return cached;
    const innerKinds = keywords.flatMap((keyword) => {
      const kinds = (schemasOf(keyword, schema[keyword]) as NormalizedSchema[]).map(combine);
      return keyword === 'allOf' ? kinds : [uniteKinds(kinds)];
    });
    const inner = innerKinds.reduce(intersectKinds, NO_KINDS);
    const kinds = intersectKinds(readOwn(schema, inner), inner);
    cache.set(schema, kinds);
    return kinds;
  }
}

function uniteKinds(sets: readonly ValueKinds[]): ValueKinds {
  return new Set(sets.flatMap((kinds) => [...kinds]));
}

/** Returns the kinds that both sets allow. If there are none, it returns `left`, and the validator reports the contradiction. */
export function intersectKinds(left: ValueKinds, right: ValueKinds): ValueKinds {
  if (left.size === 0 || right.size === 0) return left.size === 0 ? right : left;
  const commonKinds = [...left].flatMap((first) => [...right].flatMap((second) => narrow(first, second) ?? []));
  return commonKinds.length > 0 ? new Set(commonKinds) : left;
}

function narrow(left: ValueKind, right: ValueKind): ValueKind | undefined {
  if (left === right || includes(left, right)) return right;
  return includes(right, left) ? left : undefined;
}

function includes(wide: ValueKind, narrow: ValueKind): boolean {
  return wide === 'any' || (wide === 'string' && narrow === 'file') || (wide === 'number' && narrow === 'integer');
}

// Keywords such as `minimum` imply a kind, but only if nothing else declares one.
function readOwnKinds(schema: NormalizedSchema, inner: ValueKinds): ValueKinds {
  const { type, nullable } = schema;
  const declared = new Set([type ?? []].flat() as ValueKind[]);
  const declaredKinds = intersectKinds(declared, new Set(listConstants(schema).flatMap(jsonTypesOf) as ValueKind[]));
  const areKindsDeclaredInside = inner.size > 0 && !inner.has('any') && !isBytes(schema);
  const impliedKinds = areKindsDeclaredInside ? [] : [typesRestrictedBy(schema), kindsOfFormat(schema)];
  const [kinds = ANY] = [[...declaredKinds], ...impliedKinds].filter(({ length }) => length > 0);
  const own = [...kinds].map((kind) => (kind === 'string' && isBytes(schema) ? 'file' : kind));
  return new Set(nullable === true ? [...own, 'null' as const] : own);
}

function kindsOfFormat(schema: NormalizedSchema): ValueKind[] {
  if (isBytes(schema)) return ['file'];
  if (schema.format === undefined) return [];
  return [NUMBER_FORMAT.test(schema.format) ? 'number' : 'string'];
}

/** Lists the values of `const` and `enum`. */
export function listConstants(schema: NormalizedSchema): readonly unknown[] {
  const { enum: values = [] } = schema;
  return 'const' in schema ? [schema.const, ...values] : values;
}
