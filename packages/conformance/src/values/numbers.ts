// Makes valid and invalid numbers for a schema.
import { ruleId, ruleIds, rulesOf, typesOf, type Place, type Schema } from '../contract/schema';
import { Untriable } from '../contract/untried';
import { Raw, toText } from '../wire/json';
import { pointerOf, createVariant, type Variant } from './variant';

/** A limit: the last valid value, and the first invalid one. */
interface End {
  readonly name: string;
  readonly value: bigint | number;
  readonly outside: bigint | number;
  readonly covers: readonly string[];
}

const RANGES: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int8: [-128n, 127n],
  int16: [-(2n ** 15n), 2n ** 15n - 1n],
  uint8: [0n, 255n],
  uint16: [0n, 2n ** 16n - 1n],
  uint32: [0n, 2n ** 32n - 1n],
  int32: [-(2n ** 31n), 2n ** 31n - 1n],
  int64: [-(2n ** 63n), 2n ** 63n - 1n],
};

// Values at which double, int32 and unsigned arithmetic overflow or round.
const LANDMARKS: readonly (readonly [string, bigint])[] = [
  ['0', 0n],
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
];
const SAFE = [BigInt(Number.MIN_SAFE_INTEGER), BigInt(Number.MAX_SAFE_INTEGER)] as const;

/** Makes one valid number. */
export function makeBaseNumber(schema: Schema): bigint | number {
  return findCandidates(schema)[0]?.[1] ?? throwUntriable(schema);
}

/** Makes valid numbers: the limits, landmarks between them, and other spellings. */
export function goodNumbers(schema: Schema): Variant[] {
  const [low, high] = endsOf(schema);
  const edges = [low, high].flatMap((end) =>
    end
      ? [
          createVariant(schema, { keyword: end.name, label: end.name }, end.value, [
            ...end.covers,
            ...ruleIds(schema, 'multipleOf'),
          ]),
        ]
      : [],
  );
  const landmarks = findCandidates(schema)
    .filter(([label]) => !edges.some((edge) => edge.label === label))
    .map(([label, value]) => createVariant(schema, { keyword: 'value', label }, value, ruleIds(schema, 'multipleOf')));
  const base = makeBaseNumber(schema);
  const written =
    typeof base === 'bigint'
      ? [
          `${String(base)}.0`,
          `${String(base)}e0`,
          ...(base === 0n ? [] : [`${String(base)}0e-1`]),
          `${String(base)}.00E+00`,
        ].map((text) => {
          const rule = {
            keyword: 'spelling',
            label: `written ${text}`,
            leftOpen: 'OpenAPI 3.0.3, 3.1.0 Data Types',
          } as const;
          return createVariant(schema, rule, new Raw(text));
        })
      : [];
  const zero = isWithinRules(schema, 0n)
    ? [createVariant(schema, { keyword: 'spelling', label: 'written -0' }, new Raw('-0'))]
    : [];
  return [...edges, ...landmarks, ...written, ...zero];
}

/** Makes invalid numbers: beyond the limits, no multiples, and fractions for integers. */
export function badNumbers(schema: Schema): Variant[] {
  const [low, high] = endsOf(schema);
  const beyond = [
    ...(low ? [createVariant(schema, { keyword: low.name, label: `${low.name}-1` }, low.outside, low.covers)] : []),
    ...(high
      ? [createVariant(schema, { keyword: high.name, label: `${high.name}+1` }, high.outside, high.covers)]
      : []),
  ];
  const far = high
    ? ['1e400', '18446744073709551616', '1e19'].map((text) =>
        createVariant(schema, { keyword: high.name, label: `far beyond, ${text}` }, new Raw(text), high.covers),
      )
    : [];
  const covers = ruleIds(schema, 'multipleOf');
  const odd = divisorsOf(schema).flatMap((divisor) => {
    const base = makeBaseNumber(schema);
    const off =
      typeof divisor === 'bigint' && typeof base === 'bigint' && divisor > 1n
        ? base + 1n
        : Number(base) + Number(divisor) / 2;
    return [createVariant(schema, { keyword: 'multipleOf', label: 'multipleOf off by less than one' }, off, covers)];
  });
  return [...beyond, ...far, ...odd, ...fractions(schema)];
}

/** Fractions for an integer schema; some become integers when a double rounds them. */
function fractions(schema: Schema): Variant[] {
  if (typesOf(schema).has('number')) return [];
  // Only a server that reads int64 as bigint can tell all fractions by their type.
  const keyword = isLong(schema) ? 'type' : 'fraction';
  // RFC 7493 section 2.2: numbers beyond a double's precision are not interoperable, unless the format is int64.
  const beyondDoubles = isLong(schema) ? ['1.0000000000000000001', '9223372036854775807.5'] : [];
  return ['1.5', '-0.5', '1e-1', ...beyondDoubles].map((text) =>
    createVariant(schema, { keyword, label: `type integer, ${text}` }, new Raw(text), ruleIds(schema, 'type')),
  );
}

function isLong(schema: Schema): boolean {
  return rulesOf(schema, 'format').some(({ value }) => value === 'int64');
}

// Valid numbers, the most usual first; beyond the safe integers only for int64.
function findCandidates(schema: Schema): (readonly [string, bigint | number])[] {
  const exact = LANDMARKS.filter(([, value]) => isLong(schema) || (value >= SAFE[0] && value <= SAFE[1]));
  const fractional = typesOf(schema).has('number')
    ? ([
        ['1.5', 1.5],
        ['-0.25', -0.25],
      ] as const)
    : [];
  const multiples = divisorsOf(schema).map((divisor) => ['multipleOf', divisor] as const);
  const edges = endsOf(schema).flatMap((end) => (end ? [[end.name, end.value] as const] : []));
  const order = [...exact.slice(1), ...exact.slice(0, 1), ...fractional, ...multiples, ...edges];
  return order.filter(([, value]) => isWithinRules(schema, value));
}

function isWithinRules(schema: Schema, value: bigint | number): boolean {
  const [low, high] = endsOf(schema);
  return (
    (low === undefined || value >= low.value) &&
    (high === undefined || value <= high.value) &&
    divisorsOf(schema).every((divisor) =>
      typeof value === 'bigint' && typeof divisor === 'bigint'
        ? value % divisor === 0n
        : Number.isInteger(Number(value) / Number(divisor)),
    )
  );
}

/** The tightest lower and upper limit. */
function endsOf(schema: Schema): [low: End | undefined, high: End | undefined] {
  return [
    tightestOf(limitsOf(schema, 'minimum', 'exclusiveMinimum', -1), -1),
    tightestOf(limitsOf(schema, 'maximum', 'exclusiveMaximum', 1), 1),
  ];
}

function tightestOf(ends: readonly End[], outward: 1 | -1): End | undefined {
  const [first] = ends.toSorted((a, b) => (a.value < b.value ? outward : -outward) * -1);
  return first && { ...first, covers: ends.flatMap(({ covers }) => covers) };
}

// All limits on one side: of the format, inclusive and exclusive. `outward` is 1 for upper limits, -1 for lower ones.
function limitsOf(schema: Schema, inclusive: string, exclusive: string, outward: 1 | -1): End[] {
  const isFractional = typesOf(schema).has('number');
  const step = fractionStepOf(schema);
  const end = (name: string, limit: bigint | number, isInside: boolean, place: Place): End => {
    const edge =
      typeof limit === 'bigint' || isFractional ? limit : BigInt(outward === 1 ? Math.floor(limit) : Math.ceil(limit));
    const isOnEdge = isInside || edge !== limit;
    const near = isFractional
      ? [Number(edge) - outward * step, edge, Number(edge) + outward * step]
      : [BigInt(edge) - BigInt(outward), edge, BigInt(edge) + BigInt(outward)];
    const [before, at, after] = near as [bigint | number, bigint | number, bigint | number];
    return {
      name,
      value: toMultiple(schema, isOnEdge ? at : before, outward),
      outside: isOnEdge ? after : at,
      covers: [ruleId(place, name)],
    };
  };
  return [
    ...rulesOf(schema, 'format').flatMap(({ value, place }) => {
      const limit = RANGES[toText(value)]?.[outward === 1 ? 1 : 0];
      return limit === undefined ? [] : [end(`${toText(value)} ${inclusive}`, limit, true, place)];
    }),
    ...rulesOf(schema, inclusive).map(({ value, place }) => end(inclusive, value as bigint | number, true, place)),
    ...rulesOf(schema, exclusive).map(({ value, place }) => end(exclusive, value as bigint | number, false, place)),
  ];
}

// A step for fractions that is small enough to stay between both limits.
function fractionStepOf(schema: Schema): number {
  const limits = (...keywords: string[]): number[] =>
    keywords.flatMap((keyword) => rulesOf(schema, keyword).map(({ value }) => Number(value)));
  const low = Math.max(-Infinity, ...limits('minimum', 'exclusiveMinimum'));
  const high = Math.min(Infinity, ...limits('maximum', 'exclusiveMaximum'));
  return high > low ? Math.min(0.5, (high - low) / 4) : 0.5;
}

// Moves a limit inwards to the nearest multiple of multipleOf.
function toMultiple(schema: Schema, value: bigint | number, outward: 1 | -1): bigint | number {
  return divisorsOf(schema).reduce((edge, divisor) => {
    if (typeof edge === 'bigint' && typeof divisor === 'bigint') {
      const over = ((edge % divisor) + divisor) % divisor;
      return over === 0n ? edge : outward === 1 ? edge - over : edge - over + divisor;
    }
    const count = Number(edge) / Number(divisor);
    return (outward === 1 ? Math.floor(count) : Math.ceil(count)) * Number(divisor);
  }, value);
}

function divisorsOf(schema: Schema): (bigint | number)[] {
  return rulesOf(schema, 'multipleOf').map(({ value }) => value as bigint | number);
}

function throwUntriable(schema: Schema): never {
  throw new Untriable('limits that no number was found for', pointerOf(schema));
}
