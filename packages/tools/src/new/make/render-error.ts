// The `src/render-error.ts` of a new project.
import { createRenderer, type Document, findOwnErrors, parseYaml } from '@contract-kit/server/contract';
import type { NewContract } from '../read-contract';
import { writeErrorValue } from './error-value';

/** The body that an operation declares for one of its error statuses. */
interface ErrorBody {
  readonly operation: string;
  readonly status: number;
  /** The code of the body, such as `{ message: message }`. */
  readonly code: string;
}

/** Writes a function that makes the bodies of errors; undefined if the kit, the framework, can make all itself. */
export function makeRenderError({
  source,
  operations,
  catalogue,
}: Pick<NewContract, 'source' | 'operations' | 'catalogue'>): string | undefined {
  const document = parseYaml(source, 'openapi.yaml') as Document;
  // What the kit sends by itself, with the bodies that operations declare for it: isRendered tells whether they fit.
  const render = createRenderer({ contract: { operations }, errors: catalogue });
  const declared = operations.flatMap((operation) =>
    findOwnErrors(operation, render).map((error) => ({ ...error, operation: operation.id })),
  );
  if (declared.every(({ isRendered }) => isRendered)) return undefined;
  const bodies = declared.map(({ media, operation, status }): ErrorBody => {
    // The schema of a message has that of the body as a property.
    const bodySchema = media.schema.properties?.['body'] ?? {};
    return { operation, status, code: media.kind === 'json' ? writeErrorValue(document, bodySchema) : 'message' };
  });
  const [usual = ''] = sortByFrequency(bodies);
  const byStatus = [...Map.groupBy(bodies, ({ status }) => status)];
  const lines = byStatus.flatMap(([status, ofStatus]) => writeStatusLines(status, ofStatus, usual));
  const functionBody = `${lines.join('')}  return ${usual};\n`;
  // The parameters that the code uses, not the names of properties, which are in quotes.
  const used = ['kind', 'message', 'operation', 'status'].filter((name) =>
    new RegExp(`(?<!")\\b${name}\\b`).test(functionBody),
  );
  return `import type { RenderError } from '../generated/handlers';

/**
 * Makes the body of each refusal, as openapi.yaml declares it. The values are the first that fit: write what is meant.
 */
export const renderError: RenderError = ({ ${used.join(', ')} }) => {
${functionBody}};
`;
}

// First those of the operations that differ from most others. `usual` is what the last line of the function returns.
function writeStatusLines(status: number, bodies: readonly ErrorBody[], usual: string): string[] {
  const [ofMost = usual, ...others] = sortByFrequency(bodies);
  const linesOfOperations = others.map((code) => {
    const ids = new Set(bodies.filter((body) => body.code === code).map(({ operation }) => JSON.stringify(operation)));
    return `  if (status === ${String(status)} && [${[...ids].join(', ')}].includes(String(operation))) return ${code};\n`;
  });
  const lineOfMost = ofMost === usual ? [] : [`  if (status === ${String(status)}) return ${ofMost};\n`];
  return [...linesOfOperations, ...lineOfMost];
}

// The different bodies, as code, the most frequent one first.
function sortByFrequency(bodies: readonly ErrorBody[]): string[] {
  const groups = [...Map.groupBy(bodies, ({ code }) => code)];
  return groups.sort(([, one], [, other]) => other.length - one.length).map(([code]) => code);
}
