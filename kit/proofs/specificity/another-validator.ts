// Asks a validator of others about the values that the suite derives.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { createSuite, type Suite } from '@contract-kit/conformance';
import { findJsonContent } from '../../packages/conformance/src/contract/read-content';
import type { Schema } from '../../packages/conformance/src/contract/schema';
import type { Variant } from '../../packages/conformance/src/values/variant';
import { toJson, toText, writeJson } from '../../packages/conformance/src/wire/json';

/** What is used of @hyperjump/json-schema: it is installed with this folder only, so its types are not there. */
interface Library {
  readonly registerSchema: (schema: object, id: string, dialect: string) => void;
  readonly unregisterSchema: (id: string) => void;
  readonly validate: (id: string) => Promise<(value: unknown) => { readonly valid: boolean }>;
}

/** Loads the other validator for a dialect, such as `draft-2020-12`. */
export function loadLibrary(dialect: string): Library {
  return createRequire(resolve('proofs/specificity/package.json'))(`@hyperjump/json-schema/${dialect}`) as Library;
}

/** The verdicts of both on the values of one contract. */
export interface Agreement {
  readonly compared: number;
  readonly disagreed: readonly string[];
}

interface Derived {
  readonly schema: Schema;
  readonly variant: Variant;
  readonly isRight: boolean;
}

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';

export const JUDGED_CONTRACTS = ['keywords', 'dialect', 'lending', 'contracts/features'].map(
  (name) => `packages/test-support/fixtures/${name}.yaml`,
);

export async function askAnotherValidator(file: string): Promise<Agreement> {
  const { registerSchema, validate } = loadLibrary('draft-2020-12');
  const suite = createSuite(readFileSync(file, 'utf8'), { marker: 'text' });
  const id = `https://example.org/${file}`;
  const { root } = suite.model.contract;
  registerSchema(JSON.parse(toText(root)) as object, id, DIALECT);
  const compared = listDerived(suite).filter(({ variant }) => isForBoth(variant));
  const disagreed: string[] = [];
  for (const { schema, variant, isRight } of compared) {
    const json = writeJson(toJson(variant.value));
    const judges = await Promise.all(schema.schemaObjects.map(({ pointer }) => validate(id + pointer)));
    if (judges.every((judge) => judge(JSON.parse(json)).valid) !== isRight)
      disagreed.push(`${variant.pointer} ${variant.label} ${json}`);
  }
  return { compared: compared.length, disagreed };
}

// Of all bodies that are JSON.
function listDerived({ model, values }: Suite): Derived[] {
  return model.operations.flatMap(({ body }) => {
    const schema = findJsonContent(body?.contents ?? [])?.schema;
    if (!schema) return [];
    return [
      ...values.validValues(schema).map((variant) => ({ schema, variant, isRight: true })),
      ...values.invalidValues(schema).map((variant) => ({ schema, variant, isRight: false })),
    ];
  });
}

// The other one reads doubles, and takes formats for annotations.
function isForBoth({ keyword, label, value }: Variant): boolean {
  return keyword !== 'format' && !keyword.startsWith('int') && !/\d{16}/.test(label + writeJson(toJson(value)));
}
