import { hasRule, limitsOf, pointersOf, rulesOf, typesOf, type Schema } from '../contract/schema';
import { Raw, toText } from '../wire/json';
import { createVariant, throwSkipped, type Variant } from './variant';

export const FORMAT_RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int8: [-128n, 127n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  uint8: [0n, 255n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  uint64: [0n, 2n ** 64n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

// Integers at which double, int32 or unsigned arithmetic overflows or rounds. The most common one comes first.
const BOUNDARY_INTEGERS: readonly (readonly [string, bigint])[] = [
  ['1', 1n],
  ['-1', -1n],
  ['2^31-1', 2n ** 31n - 1n],
  ['2^31', 2n ** 31n],
  ['-2^31', -(2n ** 31n)],
  ['-2^31-1', -(2n ** 31n) - 1n],
  ['2^32', 2n ** 32n],
  ['2^53-1', 2n ** 53n - 1n],
  ['2^53', 2n ** 53n],
  ['2^53+1', 2n ** 53n + 1n],
  ['-2^53+1', -(2n ** 53n) + 1n],
  ['-2^53-1', -(2n ** 53n) - 1n],
  ['0', 0n],
];

type Side = 'lower' | 'upper';

interface Limit {
  /** The keyword, with the format in front if that sets the limit: `maximum`, `int64 maximum`. */
  readonly name: string;
  readonly lastValid: bigint | number;
  readonly firstInvalid: bigint | number;
  readonly pointer: string;
}

export function makeBaseNumber(schema: Schema): bigint | number {
  return findValidNumbers(schema)[0]?.[1] ?? throwSkipped(schema, 'numeric limits between which no number was found');
}

/** Makes numbers at the limits, others at which servers may overflow or round, such as 2^31, and -0. */
export function makeValidNumbers(schema: Schema): Variant[] {
  const [multipleOf] = pointersOf(schema, 'multipleOf');
  const limitVariants = findLimits(schema).map(({ name, lastValid, pointer }) =>
    createVariant(schema, { keyword: name, label: name, pointer }, lastValid),
  );
  const otherNumbers = findValidNumbers(schema)
    .filter(([label]) => !limitVariants.some((variant) => variant.label === label))
    .map(([label, value]) => createVariant(schema, { keyword: 'value', label, pointer: multipleOf }, value));
  const minusZero = createVariant(schema, { keyword: 'spelling', label: 'written -0' }, new Raw('-0'));
  return [
    ...limitVariants,
    ...otherNumbers,
    ...(isWithinRules(schema, 0n) ? [minusZero] : []),
    ...makeUnroundedMultiples(schema),
  ];
}

// In doubles, 0.29 is not a multiple of 0.01. A server may refuse 0.29, but must not store 0.28.
function makeUnroundedMultiples(schema: Schema): Variant[] {
  return divisorsOf(schema)
    .filter((divisor) => typeof divisor === 'number')
    .map((divisor) => Number((29 * divisor).toPrecision(12)))
    .filter((value) => !Number.isInteger(value) && isBetweenLimits(schema, value))
    .map((value) =>
      createVariant(
        schema,
        { keyword: 'multipleOf', label: '29 times multipleOf', implementationDefined: 'RFC 8259 6' },
        value,
      ),
    );
}

const TOO_LARGE_NUMBERS = ['1e400', '18446744073709551616', '1e19'];

/** Makes numbers just beyond the limits or far too large, non-multiples, and fractions for integers. */
export function makeInvalidNumbers(schema: Schema): Variant[] {
  const lower = limitOf(schema, 'lower');
  const upper = limitOf(schema, 'upper');
  // A server that rounds to a double may read a number beyond the limit as the limit (RFC 8259 section 6).
  const breakLimit = ({ name, pointer, lastValid }: Limit, label: string, value: bigint | number | Raw): Variant[] => {
    const isRead = isInt64(schema) || Number(value instanceof Raw ? value.text : value) !== Number(lastValid);
    return isRead ? [createVariant(schema, { keyword: name, label, pointer }, value)] : [];
  };
  return [
    ...(lower ? breakLimit(lower, `${lower.name}-1`, lower.firstInvalid) : []),
    ...(upper ? breakLimit(upper, `${upper.name}+1`, upper.firstInvalid) : []),
    ...(upper ? TOO_LARGE_NUMBERS.flatMap((text) => breakLimit(upper, `far beyond, ${text}`, new Raw(text))) : []),
    ...makeNonMultiples(schema),
    ...makeFractions(schema),
  ];
}

function makeNonMultiples(schema: Schema): Variant[] {
  return divisorsOf(schema).map((divisor) => {
    const multiple = makeBaseNumber(schema);
    const canAddOne = typeof divisor === 'bigint' && typeof multiple === 'bigint' && divisor > 1n;
    const value = canAddOne ? multiple + 1n : Number(multiple) + Number(divisor) / 2;
    return createVariant(schema, { keyword: 'multipleOf', label: 'multipleOf off by less than one' }, value);
  });
}

function makeFractions(schema: Schema): Variant[] {
  if (typesOf(schema).has('number')) return [];
  // Only a server that reads int64 as bigint detects every fraction by its type, so only int64 gets the keyword `type`.
  const keyword = isInt64(schema) ? 'type' : 'fraction';
  // Numbers beyond a double's precision are interoperable only as int64 (RFC 7493 section 2.2).
  const preciseNumbers = isInt64(schema) ? ['1.0000000000000000001', '9223372036854775807.5'] : [];
  const [pointer] = pointersOf(schema, 'type');
  return ['1.5', '-0.5', '1e-1', ...preciseNumbers].map((text) => {
    const rounded = Number(text);
    const mayBeRounded = Number.isInteger(rounded) && isWithinRules(schema, BigInt(rounded));
    const implementationDefined = mayBeRounded ? 'RFC 8259 6' : undefined;
    const rule = { keyword, label: `type integer, ${text}`, pointer, implementationDefined } as const;
    return createVariant(schema, rule, new Raw(text));
  });
}

/** Whether values may exceed the integers that a double holds exactly. */
export function isInt64(schema: Schema): boolean {
  return hasRule(schema, 'format', 'int64') || hasRule(schema, 'format', 'uint64');
}

function findValidNumbers(schema: Schema): (readonly [label: string, value: bigint | number])[] {
  const integers = BOUNDARY_INTEGERS.filter(([, value]) => isInt64(schema) || Number.isSafeInteger(Number(value)));
  // In doubles, 0.29 * 100 is less than 29.
  const fractions = [['1.5', 1.5] as const, ['-0.25', -0.25] as const, ['0.29', 0.29] as const];
  const divisors = divisorsOf(schema).map((divisor) => ['multipleOf', divisor] as const);
  const limits = findLimits(schema).map(({ name, lastValid }) => [name, lastValid] as const);
  const candidates = [...integers, ...(typesOf(schema).has('number') ? fractions : []), ...divisors, ...limits];
  return candidates.filter(([, value]) => isWithinRules(schema, value));
}

function isWithinRules(schema: Schema, value: bigint | number): boolean {
  const isMultipleOf = (divisor: bigint | number): boolean =>
    typeof value === 'bigint' && typeof divisor === 'bigint'
      ? value % divisor === 0n
      : Number.isInteger(Number(value) / Number(divisor));
  return isBetweenLimits(schema, value) && divisorsOf(schema).every(isMultipleOf);
}

function isBetweenLimits(schema: Schema, value: bigint | number): boolean {
  const lower = limitOf(schema, 'lower');
  const upper = limitOf(schema, 'upper');
  return (lower === undefined || value >= lower.lastValid) && (upper === undefined || value <= upper.lastValid);
}

function findLimits(schema: Schema): Limit[] {
  return (['lower', 'upper'] as const).flatMap((side) => limitOf(schema, side) ?? []);
}

function limitOf(schema: Schema, side: Side): Limit | undefined {
  const limits = listLimits(schema, side);
  const sortedLimits = limits.toSorted((left, right) => (left.lastValid < right.lastValid ? -1 : 1));
  return side === 'lower' ? sortedLimits.at(-1) : sortedLimits[0];
}

function listLimits(schema: Schema, side: Side): Limit[] {
  const [inclusive, exclusive] = side === 'lower' ? ['minimum', 'exclusiveMinimum'] : ['maximum', 'exclusiveMaximum'];
  const formatLimits = rulesOf(schema, 'format').flatMap(({ value, schemaObject: { pointer } }) => {
    const format = toText(value);
    // Formats such as `double` have no range.
    const bound = FORMAT_RANGES[format]?.[side === 'lower' ? 0 : 1];
    if (bound === undefined) return [];
    return [{ name: `${format} ${inclusive}`, pointer, ...findEdges(schema, side, bound, true) }];
  });
  const keywordLimits = [inclusive, exclusive].flatMap((name) =>
    rulesOf(schema, name).map(({ value, schemaObject: { pointer } }) => ({
      ...{ name, pointer },
      ...findEdges(schema, side, value as bigint | number, name === inclusive),
    })),
  );
  return [...formatLimits, ...keywordLimits];
}

// For integers, `maximum: 10` gives 10 and 11, and `exclusiveMaximum: 10` gives 9 and 10.
function findEdges(
  schema: Schema,
  side: Side,
  bound: bigint | number,
  isInclusive: boolean,
): Pick<Limit, 'lastValid' | 'firstInvalid'> {
  const allowsFractions = typesOf(schema).has('number');
  const roundInwards = side === 'lower' ? Math.ceil : Math.floor;
  const edge = typeof bound === 'bigint' || allowsFractions ? bound : BigInt(roundInwards(bound));
  // A rounded edge is within the limit, even within an exclusive one.
  const isEdgeValid = isInclusive || edge !== bound;
  const findNeighbour = (direction: 'inside' | 'outside'): bigint | number => {
    const isUpwards = (side === 'upper') === (direction === 'outside');
    if (!allowsFractions) return BigInt(edge) + (isUpwards ? 1n : -1n);
    return Number(edge) + (isUpwards ? 1 : -1) * fractionStepOf(schema);
  };
  return {
    lastValid: moveToMultiple(schema, side, isEdgeValid ? edge : findNeighbour('inside')),
    firstInvalid: isEdgeValid ? findNeighbour('outside') : edge,
  };
}

// Returns a half, or less if a half would pass the opposite limit.
function fractionStepOf(schema: Schema): number {
  const lower = Math.max(-Infinity, ...limitsOf(schema, 'minimum'), ...limitsOf(schema, 'exclusiveMinimum'));
  const upper = Math.min(Infinity, ...limitsOf(schema, 'maximum'), ...limitsOf(schema, 'exclusiveMaximum'));
  return upper > lower ? Math.min(0.5, (upper - lower) / 4) : 0.5;
}

function moveToMultiple(schema: Schema, side: Side, limit: bigint | number): bigint | number {
  return divisorsOf(schema).reduce((value, divisor) => {
    if (typeof value === 'bigint' && typeof divisor === 'bigint') {
      // Unlike `%`, this is never negative: -7 is 2 above -9, a multiple of 3.
      const aboveMultiple = ((value % divisor) + divisor) % divisor;
      if (aboveMultiple === 0n) return value;
      const multipleBelow = value - aboveMultiple;
      return side === 'upper' ? multipleBelow : multipleBelow + divisor;
    }
    const quotient = Number(value) / Number(divisor);
    return (side === 'upper' ? Math.floor(quotient) : Math.ceil(quotient)) * Number(divisor);
  }, limit);
}

function divisorsOf(schema: Schema): (bigint | number)[] {
  return rulesOf(schema, 'multipleOf').map(({ value }) => value as bigint | number);
}
