import { createRenderer, type Document, findOwnErrors, parseYaml } from '@contract-kit/server/contract';
import type { NewContract } from '../read-contract';
import { writeErrorValue } from './error-value';

/**
 * Writes src/render-error.ts, which makes the bodies of errors as a contract declares them; undefined if the kit can
 * itself.
 */
export function makeRenderError({
  source,
  operations,
  catalogue,
}: Pick<NewContract, 'source' | 'operations' | 'catalogue'>): string | undefined {
  const document = parseYaml(source, 'openapi.yaml') as Document;
  const render = createRenderer({ contract: { operations }, errors: catalogue });
  const all = operations.flatMap((operation) =>
    findOwnErrors(operation, render).map((error) => ({ ...error, operation: operation.id })),
  );
  if (all.every(({ isRendered }) => isRendered)) return undefined;
  const values = all.map(({ media, ...place }) => ({
    ...place,
    value: media.kind === 'json' ? writeErrorValue(document, media.schema.properties?.['body'] ?? {}) : 'message',
  }));
  const [usual = ''] = sortByFrequency(values);
  // One line for each status that has another body, after those of its operations that differ from it.
  const lines = [...Map.groupBy(values, ({ status }) => status)].flatMap(([status, some]) => {
    const [ofStatus = usual, ...others] = sortByFrequency(some);
    const ofOperations = others.map((value) => {
      const names = new Set(
        some.filter((one) => one.value === value).map(({ operation }) => JSON.stringify(operation)),
      );
      return `  if (status === ${String(status)} && [${[...names].join(', ')}].includes(String(operation))) return ${value};\n`;
    });
    return [
      ...ofOperations,
      ...(ofStatus === usual ? [] : [`  if (status === ${String(status)}) return ${ofStatus};\n`]),
    ];
  });
  const body = `${lines.join('')}  return ${usual};\n`;
  // The parameters that the code uses, not the names of properties, which are in quotes.
  const used = ['kind', 'message', 'operation', 'status'].filter((name) =>
    new RegExp(`(?<!")\\b${name}\\b`).test(body),
  );
  return `import type { RenderError } from '../generated/handlers';

/**
 * Makes the body of each refusal, as openapi.yaml declares it. The values are the first that fit: write what is meant.
 */
export const renderError: RenderError = ({ ${used.join(', ')} }) => {
${body}};
`;
}

/** The different values, the most frequent one first. */
function sortByFrequency(all: readonly { readonly value: string }[]): string[] {
  const groups = [...Map.groupBy(all, ({ value }) => value)];
  return groups.sort(([, one], [, other]) => other.length - one.length).map(([value]) => value);
}
