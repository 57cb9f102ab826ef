// Made from openapi.yaml by `npm run generate`. Do not edit.
import type * as schemas from './schemas.js';
import type { ErrorNumber } from './schemas.js';
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
        Plant: schemas.Plant;
        NewPlant: schemas.NewPlant;
        Error: schemas.Error;
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
                "application/json": schemas.Error;
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
                "application/json": schemas.Error;
            };
        };
        /** @description The server failed. The message never says how; the server's log does. */
        InternalServerError: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": schemas.Error;
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
                "application/json": schemas.Error;
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
                "application/json": schemas.NewPlant;
            };
        };
        responses: {
            /** @description The plant is in the store. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Plant;
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
