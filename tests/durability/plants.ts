import type { StoredPlant } from '../../src/store/plant-store';
import type { Random } from './random';

const LETTERS = Array.from(`aZ09 '"\\%;\n\u0001é\u{1f331}`);
// Numbers that are not exact, and rows that take several pages, would show a store that keeps half of a plant.
const FIRST_ID = 2n ** 53n + 1n;
const LONG = 6_000;

/** Makes plants of which no two have the same id. */
export function createPlants(random: Random, firstId = FIRST_ID): () => StoredPlant {
  let id = firstId;

  function text(): string {
    const length = random.integer(1, 50) === 1 ? random.integer(1, LONG) : random.integer(1, 40);
    return Array.from({ length }, () => random.pick(LETTERS)).join('');
  }

  return () => ({ id: id++, name: text(), ...(random.integer(1, 3) === 1 ? {} : { tag: text() }) });
}

/** The body of the request that creates a plant. */
export function toBody({ id, name, tag }: StoredPlant): string {
  return `{"id":${String(id)},${JSON.stringify({ name, tag }).slice(1)}`;
}

/** The body of its reply. */
export function toReply({ name, tag }: StoredPlant): string {
  return JSON.stringify({ name, tag });
}
