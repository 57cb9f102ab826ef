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
  getOrCreate,
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
const MAX_COMPARISONS = 10_000;

/** Creates the schemas for one comparison, and limits how often unions are split. */
export class SchemaAlgebra {
  readonly #parts = new Map<string, Part>();
  readonly #excluded = new WeakMap<Part, ReadonlySet<string>>();
  readonly #direction: Direction;
  #comparisons = 0;

  constructor(direction: Direction) {
    this.#direction = direction;
  }

  get isExhausted(): boolean {
    return this.#comparisons > MAX_COMPARISONS;
  }

  /** Returns the same part for the same key, so that comparing recursive schemas ends. */
  toPart(schema: Schema, key = toJson(schema), document = this.#direction.sender): Part {
    return getOrCreate(this.#parts, key, () => ({ schema, document }));
  }

  negate(part: Part): Part {
    return this.toPart({ not: part.schema }, `not ${toKey([part])}`, part.document);
  }

  listAtoms(parts: Parts, notation: Notation): Part[] {
    const allowedValues = valuesIn(parts);
    const values = parts.flatMap(({ schema }) => exactValueOf(schema, 'enum') ?? []) as unknown[];
    if (allowedValues)
      return values.filter((value) => allowedValues.has(toJson(value))).map((value) => this.toPart({ const: value }));
    const types = [...(typesIn(parts) ?? ALL_TYPES)].filter((type) => type !== 'null' || !isText(notation));
    return types.map((type) => this.toPart({ type }));
  }

  /** Yields all combinations with one alternative from each oneOf and anyOf. For oneOf, it negates the other alternatives. */
  *chooseAlternatives(parts: Parts, chosenUnions: readonly Part[] = []): Generator<Parts> {
    const union = this.isExhausted ? undefined : parts.find((part) => !chosenUnions.includes(part) && isUnion(part));
    if (!union) {
      this.#comparisons++;
      yield parts;
      return;
    }
    const [anyOf = [], oneOf = []] = ['anyOf', 'oneOf'].map((keyword) => schemasIn([union], keyword));
    for (const anyOfChoice of anyOf.length > 0 ? anyOf : [undefined]) {
      for (const oneOfChoice of oneOf.length > 0 ? oneOf : [undefined]) {
        const others = oneOf.filter((sibling) => sibling !== oneOfChoice).map((sibling) => this.negate(sibling));
        const alternatives = expand([anyOfChoice, oneOfChoice].filter((part) => part !== undefined));
        yield* this.chooseAlternatives([...new Set([...parts, ...alternatives, ...others])], [...chosenUnions, union]);
      }
    }
  }

  /** Whether it is certain that no value matches both lists. */
  areDisjoint(left: Parts, right: Parts, notation: Notation, depth = 0): boolean {
    if (depth > MAX_DEPTH) return false;
    const leftParts = expand(left);
    for (const allParts of this.chooseAlternatives(expand([...left, ...right])))
      if (!this.#isEmpty(allParts, leftParts, notation, depth)) return false;
    return true;
  }

  #isEmpty(allParts: Parts, left: Parts, notation: Notation, depth: number): boolean {
    this.#comparisons++;
    if (this.isExhausted) return false;
    const types = typesIn(allParts, notation);
    if (allParts.some(allowsNothing) || types?.size === 0 || valuesIn(allParts, notation)?.size === 0) return true;
    if (schemasIn(allParts, 'not').some((not) => allParts.some((part) => isSame(not, part)))) return true;
    if (types?.size !== 1) return false;
    const hasNoSize = ['imum', 'Length', 'Items'].some((size) => {
      const [minimum, maximum] = ['min', 'max'].map((end) => limitIn(allParts, end + size, types.has('integer')));
      return minimum && maximum && isTighter('min', minimum, { ...maximum, isExclusive: false });
    });
    if (hasNoSize || !types.has('object')) return hasNoSize;
    const isMissing = (name: string): boolean => namesIn(left).size > 0 && !this.mayHave(left, name, false);
    return [...requiredIn(allParts)].some(
      (name) => isMissing(name) || this.areDisjoint(propertyIn(allParts, name), [], notation, depth + 1),
    );
  }

  /** Whether an object can have a property. If its schemas declare any, it counts as having no others. If not, it is a map. */
  mayHave(parts: Parts, name: string, countsAllNames: boolean): boolean {
    const [schemas, names] = [propertyIn(parts, name), namesIn(parts)];
    if (!mayBe(parts, 'object') || this.excludedIn(parts).has(name) || schemas.some(allowsNothing)) return false;
    return countsAllNames || schemas.length > 0 || names.has(name) || names.size === 0;
  }

  /** Returns the properties that the sender leaves out and the receiver ignores. */
  excludedIn(parts: Parts): Set<string> {
    const findExcluded = ({ document, schema }: Part): ReadonlySet<string> =>
      findExcludedProperties(document, collectInPlaceSchemas(document, [schema]), this.#direction.mode);
    return new Set(parts.flatMap((part) => [...getOrCreate(this.#excluded, part, () => findExcluded(part))]));
  }
}

export function isUnion({ schema }: Part): boolean {
  return (schema.anyOf ?? schema.oneOf) !== undefined;
}

const schemaIds = new WeakMap<object, number>();
let nextId = 0;

/** Returns the same key for two lists if and only if they contain the same schemas. */
export function toKey(parts: Parts): string {
  return parts.map(({ schema }) => getOrCreate(schemaIds, schema, () => nextId++)).join();
}
