// Makes a number that a schema allows.

type Numeric = number | bigint;

const LIMITS = ['minimum', 'exclusiveMinimum', 'maximum', 'exclusiveMaximum'] as const;

/** 1 if it is allowed, or else a number near one of the limits; undefined if none is found. */
export function sampleNumber(read: (keyword: string) => unknown, isInteger: boolean): Numeric | undefined {
  const [minimum, aboveMinimum, maximum, belowMaximum] = LIMITS.map(read);
  const limits = [minimum, aboveMinimum, maximum, belowMaximum].filter(isNumeric);
  const step = read('multipleOf') as Numeric | undefined;
  const near = [1, ...limits].flatMap(neighboursOf);
  const middle = limits.reduce<number>((sum, limit) => sum + Number(limit), 0) / limits.length;
  const multiples = isNumeric(step) ? near.flatMap((one) => multiplesNear(one, step)) : [];
  return [...near, middle, ...multiples].find(fits);

  function fits(value: Numeric): boolean {
    if (typeof value === 'number' && (isInteger ? !Number.isSafeInteger(value) : !Number.isFinite(value))) return false;
    // In OpenAPI 3.0, exclusiveMinimum is a flag beside minimum.
    if (isNumeric(minimum) && (aboveMinimum === true ? value <= minimum : value < minimum)) return false;
    if (isNumeric(maximum) && (belowMaximum === true ? value >= maximum : value > maximum)) return false;
    if (isNumeric(aboveMinimum) && value <= aboveMinimum) return false;
    if (isNumeric(belowMaximum) && value >= belowMaximum) return false;
    return !isNumeric(step) || multiplesNear(value, step)[0] === value;
  }
}

function isNumeric(value: unknown): value is Numeric {
  return typeof value === 'number' || typeof value === 'bigint';
}

function neighboursOf(value: Numeric): Numeric[] {
  if (typeof value === 'bigint') return [value, value + 1n, value - 1n];
  return [value, Math.ceil(value), Math.floor(value), value + 1, value - 1];
}

// The first is the value itself if it is a multiple.
function multiplesNear(value: Numeric, step: Numeric): Numeric[] {
  if (typeof value === 'bigint') {
    const exactStep = BigInt(step);
    const lower = (value / exactStep) * exactStep;
    return [lower, lower + exactStep, lower - exactStep];
  }
  const [up, down] = [Math.ceil(value / Number(step)), Math.floor(value / Number(step))];
  return [up * Number(step), down * Number(step)];
}
