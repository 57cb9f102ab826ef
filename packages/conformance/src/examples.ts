import type { Model } from './contract/model';
import type { Schema } from './contract/schema';
import { judgeErrorNumber, judgeValue } from './oracle/body';
import type { Validate } from './validator';
import type { Example } from './contract/model';

/** Finds the examples that break their own schema. No case is made of them. */
export function unfitExamples({ operations }: Model, validate: Validate): string[] {
  return operations.flatMap(({ body, replies }) => [
    ...(body?.contents ?? []).flatMap(({ schema, kind, examples }) =>
      kind === 'json' ? pointersOfUnfit(examples, (value) => judgeSent(validate, schema, value)) : [],
    ),
    ...[...replies].flatMap(([status, { contents }]) =>
      contents.flatMap(({ schema, kind, examples }) =>
        kind === 'json'
          ? pointersOfUnfit(examples, (value) => [
              ...judgeValue(validate, schema, value),
              ...(/^\d+$/.test(status) ? judgeErrorNumber(schema, value, Number(status)) : []),
            ])
          : [],
      ),
    ),
  ]);
}

// Requests may have undeclared properties.
function judgeSent(validate: Validate, schema: Schema, value: Example['value']): string[] {
  return schema.places.flatMap(({ pointer }) => validate(pointer, value));
}

function pointersOfUnfit(examples: readonly Example[], judge: (value: Example['value']) => string[]): string[] {
  return examples.filter(({ value }) => judge(value).length > 0).map(({ pointer }) => pointer);
}
