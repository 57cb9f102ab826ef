// Made from openapi.yaml by `npm run generate`. Do not edit.
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
        /**
         * Create a plant
         * @description Creates a new plant in the store.
         *
         *     A valid body sent with valid credentials is always answered with 200, after the plant is on
         *     disk. A plant is all that it says: its id, its name and its tag. Sending the same plant again
         *     changes nothing, so a request may be repeated safely. Another name or tag under an id that is
         *     already known is another plant; nothing is overwritten.
         */
        post: operations["createPlant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
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
            id: bigint;
        };
        /** @description What went wrong. */
        Error: {
            /**
             * Format: int32
             * @description Numeric error value; the catalogue in `x-error-catalogue` lists them all. The first three
             *     digits are the HTTP status.
             * @example 40009
             */
            error: ErrorNumber<"x-error-catalogue of openapi.yaml">;
            /**
             * @description Text of the error, for people; programs read the number.
             * @example request/body must have required property 'name'
             */
            message: string;
        };
    };
    responses: {
        /**
         * @description An unexpected error. The creation request fails because of something in the request, and
         *     nothing was stored.
         */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The credentials are missing or not accepted. Nothing of the body was read. */
        Unauthorized: {
            headers: {
                /** @description The challenge, as RFC 6750 section 3 describes it. */
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server failed. The message never says how; the server's log does. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The server cannot keep the plant or check the token now. The request may be repeated. */
        ServiceUnavailable: {
            headers: {
                /** @description Seconds to wait before trying again. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    createPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** @description The plant to create. At most `BODY_LIMIT`, which is 1,048,576 bytes unless it is set otherwise. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPlant"];
            };
        };
        responses: {
            /** @description The plant is in the store. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Plant"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
}
export type securitySchemes = "bearerAuth";
export interface security {
    "createPlant": ["bearerAuth"];
}
/** A number of the error catalogue. */
export type ErrorNumber<Place extends string> = 40000 | 40001 | 40002 | 40003 | 40004 | 40005 | 40006 | 40007 | 40008 | 40009 | 40010 | 40100 | 40101 | 40400 | 40500 | 50000 | 50300 | (Place extends never ? 0 : never);
