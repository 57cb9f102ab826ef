// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type * as schemas from './schemas.js';
/** What handlers get and reply with, by operation. An int64 is a bigint. */
export interface operations {
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": schemas.NewPlant;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Plant;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Error;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Error;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Error;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Error;
                };
            };
        };
    };
}
/** The names of all security schemes. */
export type securitySchemes = "bearerAuth";
/** The security schemes of each operation: each list has those that a caller needs together. */
export interface security {
    "createPlant": ["bearerAuth"];
}
/** What clients send and get, by path, for tools such as openapi-fetch. An int64 is a number. */
export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewPlant"];
                };
            };
            responses: {
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Plant"];
                    };
                };
                400: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                401: {
                    headers: {
                        "WWW-Authenticate": string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                500: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
                503: {
                    headers: {
                        "Retry-After": number;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Error"];
                    };
                };
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
/** The schemas of what clients send and get. */
export interface components {
    schemas: {
        /** @description A plant as the store returns it. */
        Plant: {
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
        NewPlant: components["schemas"]["Plant"] & {
            /**
             * Format: int64
             * @description Identification number of the plant. Exact over the whole range of a signed 64-bit
             *     integer. `1.0` and `1e3` are integers too. It need not be unique.
             * @example 1
             */
            id: number;
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
        Error: {
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
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
