// Generated from openapi.yaml by `npm run generate`. Do not edit.
/** @description A plant as the store returns it. */
export type Plant = {
    /**
     * @description The name of the plant. Any Unicode text, the empty text included, but for U+0000. It is
     *     kept as it was sent: nothing is trimmed or normalised.
     * @example Rose
     */
    name: string;
    /**
     * @description Tag that specifies the type of the plant. The same text rules as for the name.
     * @example flower
     */
    tag?: string;
};
/** @description A plant to be created; all fields of Plant, and its id. */
export type NewPlant = Plant & {
    /**
     * Format: int64
     * @description Identification number of the plant. Exact over the whole range of a signed 64-bit
     *     integer. `1.0` and `1e3` are integers too. It need not be unique.
     * @example 1
     */
    id: bigint;
};
/** @description What went wrong. */
export type Error = {
    /**
     * Format: int32
     * @description Numeric error value; the catalogue in `x-error-catalogue` lists them all. The first three
     *     digits are the HTTP status.
     * @example 40009
     */
    error: ErrorNumber<"x-error-catalogue in openapi.yaml">;
    /**
     * @description Text of the error, for people; programs read the number.
     * @example request/body must have required property 'name'
     */
    message: string;
};
/** A number from the error catalogue. */
export type ErrorNumber<Place extends string> = 40000 | 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40007 | 40008 | 40009 | 40010 | 40100 | 40101 | 40400 | 40500 | 50000 | 50300 | (Place extends never ? 0 : never);
export {};
