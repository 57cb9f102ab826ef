import { resolveReference, type Document, type Schema } from '../../src/contract/document/document';
import { DATA, MAPS } from './annotations';
import { isObject, pointerTo } from './json';

/** A value that the contract gives as an example of a schema. */
export interface Example {
  readonly pointer: string;
  readonly schema: Schema;
  readonly value: unknown;
}

/** Every example of a contract: of schemas, media types, parameters and headers. */
export function* findExamples(document: Document): Generator<Example> {
  yield* below(document.paths, '#/paths', true);
  for (const [kind, map] of Object.entries(document.components ?? {})) {
    if (kind !== 'examples') yield* below(map, pointerTo('#/components', kind), true);
  }

  function* below(node: unknown, pointer: string, isMap: boolean): Generator<Example> {
    if (typeof node !== 'object' || node === null) return;
    if (isObject(node) && !isMap) {
      const schema = (node['schema'] ?? node) as Schema;
      if ('example' in node) yield { pointer: pointerTo(pointer, 'example'), schema, value: node['example'] };
      const { examples } = node;
      for (const [name, example] of Object.entries(examples ?? {}) as [string, object][]) {
        const at = pointerTo(pointer, 'examples', name);
        if (Array.isArray(examples)) yield { pointer: at, schema, value: example };
        else yield { pointer: pointerTo(at, 'value'), schema, value: valueOf(example) };
      }
    }
    for (const [key, child] of Object.entries(node)) {
      const isData = DATA.has(key) || key === 'example' || key === 'examples' || key.startsWith('x-');
      if (isMap || !isData) yield* below(child, pointerTo(pointer, key), !isMap && MAPS.has(key));
    }
  }

  function valueOf(example: object): unknown {
    return resolveReference<{ readonly value?: unknown }>(document, example).value;
  }
}
