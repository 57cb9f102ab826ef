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

// What OpenAPI or JSON Schema says that it must not, and the validator does not look at.
const WRONG: Readonly<Record<string, string>> = {
  '@mojaloop/api-snippets/docs/sdk-scheme-adapter-backend-v2_1_0-openapi3-snippets.yaml':
    '{commitRequestId} is in a path and not among its parameters (OpenAPI 3.0, Path Templating)',
  '@readme/oas-examples/3.0/json/response-http-behavior.json':
    'the security scheme api_key is not declared (OpenAPI 3.0, Security Requirement Object)',
  '@readme/oas-examples/3.0/json/schema-validation.json':
    'the default of an integer is a text (OpenAPI 3.0, Schema Object: it MUST conform to the type)',
  '@readme/oas-examples/3.1/json/schema-validation-local.json':
    'exclusiveMinimum is true in schemas of draft-06 to 2019-09 (JSON Schema, Validation: it MUST be a number)',
};

/**
 * Judges a document by the schemas that the OpenAPI Initiative publishes, and its references.
 *
 * @param name of the contract
 * @returns why it is no OpenAPI 3.0 or 3.1; undefined if it is
 */
export async function findInvalidity(name: string, document: unknown): Promise<string | undefined> {
  // It is installed with the corpus only, so its types are not there when the rest is compiled.
  const { Validator } = load('@seriousme/openapi-schema-validator') as { readonly Validator: new () => Validator };
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document) as object);
  if (!valid) return JSON.stringify(errors).slice(0, 200);
  if (!['3.0', '3.1'].includes(validator.version)) return `its version is ${validator.version}`;
  try {
    validator.resolveRefs();
    return WRONG[name];
  } catch (error) {
    return (error as Error).message;
  }
}
