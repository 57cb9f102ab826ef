import { createRenderer, type Document, findOwnErrors, parseYaml } from '@contract-kit/server/contract';
import type { NewContract } from '../read-contract';
import { writeErrorValue } from './error-value';

/** What makes errors of the shape that a contract has for them; undefined if the kit itself can. */
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
  // The most frequent value is that of all other refusals, too.
  const [usual = [], ...others] = [...Map.groupBy(values, ({ value }) => value).values()].sort(
    (one, other) => other.length - one.length,
  );
  const lines = others.flatMap((places) => {
    const statuses = Map.groupBy(places, ({ status }) => status);
    return [...statuses].map(([status, [first, ...more]]) => {
      const isOfAll = values.every((one) => one.status !== status || one.value === first?.value);
      const names = [first, ...more].map((one) => JSON.stringify(one?.operation));
      const isOfOperation = isOfAll ? '' : ` && [${[...new Set(names)].join(', ')}].includes(String(operation))`;
      return `  if (status === ${String(status)}${isOfOperation}) return ${String(first?.value)};\n`;
    });
  });
  const body = `${lines.join('')}  return ${String(usual[0]?.value)};\n`;
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
