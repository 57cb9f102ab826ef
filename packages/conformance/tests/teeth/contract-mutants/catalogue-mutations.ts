import { isJsonObject, type Json, type JsonObject } from '../../../src/wire/json';
import type { Mutation } from './contract-mutant';
import { objectAt, without, type Path } from './edit';
import { schemaPlaces } from './places';

const CATALOGUE = 'x-error-catalogue';

/** What can be wrong with the list of error numbers. */
export function catalogueMutations(root: JsonObject): Mutation[] {
  return schemaPlaces(root)
    .filter(({ schema }) => schema[CATALOGUE] !== undefined)
    .flatMap(({ path }) => {
      const at = [...path, CATALOGUE];
      return [...entries(root, at), ...swaps(root, at), ...wholes(at)];
    });
}

function entries(root: JsonObject, path: Path): Mutation[] {
  const catalogue = objectAt(root, path);
  const change = (name: string, field: string, value: Json): (() => Json) => {
    return () => ({ ...catalogue, [name]: { ...objectAt(catalogue, [name]), [field]: value } });
  };
  return Object.keys(catalogue).flatMap((name) => {
    const { number, status } = objectAt(catalogue, [name]);
    return [
      { kind: 'error dropped', detail: name, path, change: () => without(catalogue, name) },
      { kind: 'error renumbered', detail: name, path, change: change(name, 'number', Number(number) + 50) },
      { kind: 'error of another status', detail: name, path, change: change(name, 'status', Number(status) + 1) },
    ];
  });
}

// Of each status the first two, since nothing but prose tells its numbers apart.
function swaps(root: JsonObject, path: Path): Mutation[] {
  const catalogue = objectAt(root, path);
  const statuses = Map.groupBy(Object.keys(catalogue), (name) => objectAt(catalogue, [name])['status']);
  return [...statuses.values()].flatMap(([one, other]) => {
    if (one === undefined || other === undefined) return [];
    const changed = {
      ...catalogue,
      [one]: { ...objectAt(catalogue, [one]), number: objectAt(catalogue, [other])['number'] ?? null },
      [other]: { ...objectAt(catalogue, [other]), number: objectAt(catalogue, [one])['number'] ?? null },
    };
    return [
      {
        kind: 'errors swapped',
        detail: `${one}, ${other}`,
        path,
        accepted: 'told in prose' as const,
        change: () => changed,
      },
    ];
  });
}

function wholes(path: Path): Mutation[] {
  const entry = { number: 40_999n, status: 400n, meaning: 'Never.' };
  return [
    { kind: 'error added', path, change: (value) => ({ ...(isJsonObject(value) ? value : {}), NEVER: entry }) },
    { kind: 'catalogue dropped', path, accepted: 'looser reply', change: () => undefined },
    { kind: 'catalogue emptied', path, accepted: 'looser reply', change: () => ({}) },
  ];
}
