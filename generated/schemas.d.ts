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
/**
 * @description What went wrong. The numbers keep their meanings; their first three digits are the HTTP status.
 *
 *     | Number | Meaning |
 *     | ------ | ------- |
 *     | 40000 | The message is not well-formed HTTP, or its Host, Expect or Transfer-Encoding cannot be served. |
 *     | 40001 | The request line and headers are larger than the server reads. |
 *     | 40002 | The request did not arrive in time. |
 *     | 40003 | The operation needs a request body and none was sent. |
 *     | 40004 | The request body is larger than the server accepts. |
 *     | 40005 | The Content-Type is not one that the operation lists, or its charset is not utf-8. |
 *     | 40006 | The request body is compressed or encoded; only identity is accepted. |
 *     | 40007 | The request body is not valid UTF-8. |
 *     | 40008 | The request body is not well-formed JSON. |
 *     | 40009 | The request body does not fit the schema of the operation. |
 *     | 40010 | A parameter does not fit its schema, or is not listed. |
 *     | 40100 | The request carries no credentials that the operation accepts. |
 *     | 40101 | The credentials are malformed or not accepted. |
 *     | 40400 | No operation of the contract has this path. |
 *     | 40500 | The path has no operation with this method; Allow lists those that it has. |
 *     | 50000 | The server failed; nothing is known to be wrong with the request. |
 *     | 50300 | The server cannot serve the request now; try again after the time in Retry-After. |
 */
export type Error = {
    /**
     * Format: int32
     * @description Numeric error value, one of those that the description of Error lists.
     * @example 40009
     */
    error: number;
    /**
     * @description Text of the error, for people; programs read the number.
     * @example request/body must have required property 'name'
     */
    message: string;
};
export {};
