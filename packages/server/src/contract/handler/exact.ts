import type { Readable } from 'node:stream';

/**
 * `Given` if `Shape` declares each of its properties, at any depth; otherwise a type that it is not assignable to. TypeScript
 * refuses an undeclared property only in a literal: a variable may hold more than its type declares, and would leak it.
 */
export type Exact<Given, Shape> = unknown extends Shape
  ? Given
  : Shape extends Uint8Array | Readable
    ? Given extends Shape
      ? Given
      : never
    : ExactValue<Given, Shape>;

type ExactValue<Given, Shape> = Shape extends unknown
  ? Given extends Shape
    ? Given extends readonly (infer Item)[]
      ? Shape extends readonly (infer ItemShape)[]
        ? readonly Exact<Item, ItemShape>[]
        : never
      : Given extends object
        ? { [Key in keyof Given]: Key extends keyof Shape ? Exact<Given[Key], Shape[Key]> : never }
        : Given
    : never
  : never;
