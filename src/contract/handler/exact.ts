/**
 * `Given` where it has no property that `Shape` does not declare, at any depth; otherwise a type that it does not fit.
 *
 * TypeScript refuses an undeclared property only in a literal; a variable may carry more than its type says, and so
 * leak it.
 */
export type Exact<Given, Shape> = Shape extends unknown
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
