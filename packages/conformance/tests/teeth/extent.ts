/** How many things of a proof are tried at a time; they wait more than they work. */
export const LANES = 4;

/** How many of a proof are tried, at most. */
export type Extent = number;

export const WHOLE: Extent = Infinity;
/** A quarter or less: what CI tries. */
export const SAMPLE: Extent = 100;

/** So many of some items, from all over them. */
export function sampleOf<Item>(items: readonly Item[], most: Extent): Item[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_item, index) => index % step === 0);
}

/** What a proof has to reach; in a sample, one survivor that is explained weighs more. */
export function demand(most: Extent, least: number, threshold: number): { least: number; threshold: number } {
  return most === WHOLE ? { least, threshold } : { least: Math.min(least, most / 2), threshold: threshold - 10 };
}
