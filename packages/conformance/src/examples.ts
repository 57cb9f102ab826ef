import type { Example, Model } from './contract/model';
import type { Schema } from './contract/schema';
import { judgeNumber, judgeValue } from './oracle/body';
import type { Validate } from './validator';

/** An example that is none, and what is wrong with it. */
export class UnfitExample extends Error {
  readonly pointer: string;

  constructor(pointer: string, problem: string) {
    super(`${pointer} is no example of what it stands at: ${problem}`);
    this.pointer = pointer;
  }
}

/**
 * Makes sure that the contract keeps its own rules where it shows what it means.
 *
 * @throws UnfitExample
 */
export function assertExamples({ operations }: Model, validate: Validate): void {
  for (const { body, replies } of operations) {
    for (const { schema, examples } of body?.contents ?? []) {
      assertFitting(examples, (value) => judgeSent(validate, schema, value));
    }
    for (const [status, { contents }] of replies) {
      for (const { schema, examples } of contents) {
        assertFitting(examples, (value) => [
          ...judgeValue(validate, schema, value),
          ...(/^\d+$/.test(status) ? judgeNumber(schema, value, Number(status)) : []),
        ]);
      }
    }
  }
}

// A client may send more than is named; only a reply may not have it.
function judgeSent(validate: Validate, schema: Schema, value: Example['value']): string[] {
  return schema.places.flatMap(({ pointer }) => validate(pointer, value));
}

function assertFitting(examples: readonly Example[], judge: (value: Example['value']) => string[]): void {
  for (const { pointer, value } of examples) {
    const [problem] = judge(value);
    if (problem !== undefined) throw new UnfitExample(pointer, problem);
  }
}
