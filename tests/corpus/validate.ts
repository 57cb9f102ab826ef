import { createRequire } from 'node:module';

const load = createRequire(__filename);

interface Validation {
  readonly valid: boolean;
  readonly errors?: unknown;
}
interface Validator {
  readonly version: string;
  validate(document: object): Promise<Validation>;
  resolveRefs(): unknown;
}

/**
 * Judges a document by the schemas that the OpenAPI Initiative publishes, and its references.
 *
 * @returns why it is no OpenAPI 3.0 or 3.1; undefined if it is
 */
export async function findInvalidity(document: unknown): Promise<string | undefined> {
  // It is installed with the corpus only, so its types are not there when the rest is compiled.
  const { Validator } = load('@seriousme/openapi-schema-validator') as { readonly Validator: new () => Validator };
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as object);
  if (!valid) return JSON.stringify(errors).slice(0, 200);
  if (!['3.0', '3.1'].includes(validator.version)) return `its version is ${validator.version}`;
  try {
    validator.resolveRefs();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
