// Splits and combines schemas, and decides whether any value matches two of them.
import {
  type AccessMode,
  type NormalizedDocument as Document,
  collectInPlaceSchemas,
  exactValueOf,
  findExcludedProperties,
  type NormalizedSchema as Schema,
} from '@contract-kit/contract';
import {
  ALL_TYPES,
  allowsNothing,
  expand,
  isSame,
  isText,
  isTighter,
  limitIn,
  mayBe,
  namesIn,
  type Notation,
  type Part,
  type Parts,
  propertyIn,
  remember,
  requiredIn,
  schemasIn,
  toJson,
  typesIn,
  valuesIn,
} from './schema-rules';

/** The sender and the receiver of messages, each with its version of the contract. */
export interface Direction {
  readonly sender: Document;
  readonly receiver: Document;
  /** The access mode that these messages exclude. */
  readonly mode: AccessMode;
  readonly isNewSender: boolean;
}

const MAX_DEPTH = 5;
// Nested unions multiply, so after this many comparisons, unions are no longer split into their alternatives.
const MAX_WORK = 10_000;

/** Creates the schemas for one comparison, and limits how often unions are split. */
export class SchemaAlgebra {
  readonly #made = new Map<string, Part>();
  readonly #excluded = new WeakMap<Part, ReadonlySet<string>>();
  readonly #direction: Direction;
  #work = 0;

  constructor(direction: Direction) {
    this.#direction = direction;
  }

  get isExhausted(): boolean {
    return this.#work > MAX_WORK;
  }

  /** Returns the same part for the same key, so that comparing recursive schemas ends. */
  make(schema: Schema, key = toJson(schema), document = this.#direction.sender): Part {
    return remember(this.#made, key, () => ({ schema, document }));
  }

  negate(part: Part): Part {
    return this.make({ not: part.schema }, `not ${toKey([part])}`, part.document);
  }

  listAtoms(parts: Parts, notation: Notation): Part[] {
    const allowed = valuesIn(parts);
    const values = parts.flatMap(({ schema }) => exactValueOf(schema, 'enum') ?? []) as unknown[];
    if (allowed)
      return values.filter((value) => allowed.has(toJson(value))).map((value) => this.make({ const: value }));
    const types = [...(typesIn(parts) ?? ALL_TYPES)].filter((type) => type !== 'null' || !isText(notation));
    return types.map((type) => this.make({ type }));
  }

  /** Yields all combinations with one alternative from each oneOf and anyOf. For oneOf, it negates the other alternatives. */
  *chooseAlternatives(parts: Parts, chosen: readonly Part[] = []): Generator<Parts> {
    const union = this.isExhausted ? undefined : parts.find((part) => !chosen.includes(part) && isUnion(part));
    if (!union) {
      this.#work++;
      yield parts;
      return;
    }
    const [anyOf = [], oneOf = []] = ['anyOf', 'oneOf'].map((keyword) => schemasIn([union], keyword));
    for (const fromAnyOf of anyOf.length > 0 ? anyOf : [undefined]) {
      for (const fromOneOf of oneOf.length > 0 ? oneOf : [undefined]) {
        const negated = oneOf.filter((sibling) => sibling !== fromOneOf).map((sibling) => this.negate(sibling));
        const alternatives = expand([fromAnyOf, fromOneOf].filter((part) => part !== undefined));
        yield* this.chooseAlternatives([...new Set([...parts, ...alternatives, ...negated])], [...chosen, union]);
      }
    }
  }

  /** Whether it is certain that no value matches both lists. */
  areDisjoint(left: Parts, right: Parts, notation: Notation, depth = 0): boolean {
    if (depth > MAX_DEPTH) return false;
    const leftParts = expand(left);
    for (const both of this.chooseAlternatives(expand([...left, ...right])))
      if (!this.#isEmpty(both, leftParts, notation, depth)) return false;
    return true;
  }

  #isEmpty(both: Parts, left: Parts, notation: Notation, depth: number): boolean {
    this.#work++;
    if (this.isExhausted) return false;
    const types = typesIn(both, notation);
    if (both.some(allowsNothing) || types?.size === 0 || valuesIn(both, notation)?.size === 0) return true;
    if (schemasIn(both, 'not').some((not) => both.some((part) => isSame(not, part)))) return true;
    if (types?.size !== 1) return false;
    const hasNoSize = ['imum', 'Length', 'Items'].some((size) => {
      const [minimum, maximum] = ['min', 'max'].map((end) => limitIn(both, end + size, types.has('integer')));
      return minimum && maximum && isTighter('min', minimum, { ...maximum, isExclusive: false });
    });
    if (hasNoSize || !types.has('object')) return hasNoSize;
    const isMissing = (name: string): boolean => namesIn(left).size > 0 && !this.mayHave(left, name, false);
    return [...requiredIn(both)].some(
      (name) => isMissing(name) || this.areDisjoint(propertyIn(both, name), [], notation, depth + 1),
    );
  }

  /** Whether an object may have a property. An object that declares properties counts as having no others; else, it is a map. */
  mayHave(parts: Parts, name: string, countsAllNames: boolean): boolean {
    const [schemas, names] = [propertyIn(parts, name), namesIn(parts)];
    if (!mayBe(parts, 'object') || this.excludedIn(parts).has(name) || schemas.some(allowsNothing)) return false;
    return countsAllNames || schemas.length > 0 || names.has(name) || names.size === 0;
  }

  /** Returns the properties that the sender leaves out and the receiver ignores. */
  excludedIn(parts: Parts): Set<string> {
    const findExcluded = ({ document, schema }: Part): ReadonlySet<string> =>
      findExcludedProperties(document, collectInPlaceSchemas(document, [schema]), this.#direction.mode);
    return new Set(parts.flatMap((part) => [...remember(this.#excluded, part, () => findExcluded(part))]));
  }
}

export function isUnion({ schema }: Part): boolean {
  return (schema.anyOf ?? schema.oneOf) !== undefined;
}

const numbers = new WeakMap<object, number>();
let count = 0;

/** Returns the same key for two lists if and only if they contain the same schemas. */
export function toKey(parts: Parts): string {
  return parts.map(({ schema }) => remember(numbers, schema, () => count++)).join();
}
