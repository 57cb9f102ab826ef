/** How much of a proof is tried. */
export interface Extent {
  readonly most: number;
  /** How many at a time; they wait more than they work. */
  readonly lanes: number;
  /** Whether it is also tried that nothing is found where nothing is wrong. */
  readonly hasControl: boolean;
}

export const WHOLE: Extent = { most: Infinity, lanes: 4, hasControl: true };
export const SAMPLE: Extent = { most: 3, lanes: 1, hasControl: false };

/** So many of some items, from all over them. */
export function sampleOf<Item>(items: readonly Item[], { most }: Extent): Item[] {
  const step = Math.max(1, Math.ceil(items.length / most));
  return items.filter((_item, index) => index % step === 0);
}
