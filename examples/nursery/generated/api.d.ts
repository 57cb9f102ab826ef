// Made from openapi.yaml by `npm run generate`. Do not edit.
import type * as schemas from './schemas.js';
export interface paths {
    "/plants": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Look through the catalogue
         * @description The plants in the order in which they came into the catalogue, a page at a time. With `q` only those whose name,
         *     botanical name or one of whose tags has that text, in any case of the letters.
         */
        get: operations["listPlants"];
        put?: never;
        /** Add a plant to the catalogue */
        post: operations["addPlant"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plants/{plantId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        /** Read a plant */
        get: operations["readPlant"];
        /**
         * Replace a plant
         * @description Everything that is said of the plant is new; what is left out is gone. `If-Match` has to name the version that
         *     the client has seen: a sale in between changes the stock, and must not be undone.
         */
        put: operations["replacePlant"];
        post?: never;
        /**
         * Take a plant out of the catalogue
         * @description Its photo goes with it. A plant that is reserved for a customer stays.
         */
        delete: operations["removePlant"];
        options?: never;
        head?: never;
        /**
         * Change some of a plant
         * @description A JSON merge patch (RFC 7396): what is not in it stays, and `null` takes away. With `If-Match` only if the plant
         *     still has that version.
         */
        patch: operations["changePlant"];
        trace?: never;
    };
    "/plants/{plantId}/photo": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        /** The photo of a plant */
        get: operations["readPhoto"];
        /**
         * Upload the photo of a plant
         * @description From the form of a page, or as the picture alone. It takes the place of an earlier one.
         */
        put: operations["uploadPhoto"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plants/{plantId}/reservations": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reserve plants for a customer
         * @description Takes them out of the stock. Where fewer are left, none is reserved. When the last one goes, the nursery sends
         *     `soldOut`.
         */
        post: operations["reservePlants"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/plants/{plantId}/reservations/{reservationId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
                /** @description The `id` of a reservation. */
                reservationId: schemas.Id;
            };
            cookie?: never;
        };
        /** Read a reservation */
        get: operations["readReservation"];
        put?: never;
        post?: never;
        /**
         * Give up a reservation
         * @description The plants are in stock again.
         */
        delete: operations["giveUpReservation"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    soldOut: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A plant is sold out
         * @description Sent to the buyers' office when a reservation takes the last plant. It is tried three times; any reply below 400
         *     ends that. It may come twice, or, when the nursery's server stops in that moment, not at all.
         */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": schemas.SoldOut;
                };
            };
            responses: {
                /** @description The office knows. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
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
export interface components {
    schemas: {
        Id: schemas.Id;
        Line: schemas.Line;
        Light: schemas.Light;
        Stock: schemas.Stock;
        Plant: schemas.Plant;
        PlantPatch: schemas.PlantPatch;
        Tags: schemas.Tags;
        PlantPage: schemas.PlantPage;
        PhotoForm: schemas.PhotoForm;
        Reservation: schemas.Reservation;
        SoldOut: schemas.SoldOut;
        Problem: schemas.Problem;
    };
    responses: {
        /** @description The request is not as this page says. */
        BadRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description Who is asking? Credentials are missing or wrong. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": string;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description The account may not do this. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description There is none. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description Not with the stock and the reservations as they are. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description The plant has another version by now. Read it again. */
        Changed: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description The body is larger than a megabyte. */
        TooLarge: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description A body of this media type is not for this operation. */
        WrongType: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description `If-Match` is missing. */
        VersionNeeded: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description The server failed. It is not the fault of the request. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
        /** @description Not now. Please try again. */
        Unavailable: {
            headers: {
                /** @description In how many seconds. */
                "Retry-After": number;
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": schemas.Problem;
            };
        };
    };
    parameters: {
        /** @description The `id` of a plant. */
        PlantId: schemas.Id;
        /**
         * @description The `ETag` of the version to change, or several of them, or `*` for any (RFC 9110 section 13.1.1).
         * @example "3"
         */
        IfMatch: string;
    };
    requestBodies: never;
    headers: {
        /** @description Where it is from now on. */
        Location: string;
        /** @description The version of the plant. */
        ETag: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPlants: {
        parameters: {
            query: {
                /**
                 * @description A text to search for.
                 * @example lavender
                 */
                q?: schemas.Line;
                /** @description Only plants for such a place. */
                light?: schemas.Light;
                /** @description Whether there is any in stock. */
                available?: boolean;
                /** @description How many plants a page has at most. */
                limit: number;
                /** @description The `next` of the page before. */
                after?: schemas.Id;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of the catalogue. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.PlantPage;
                };
            };
            400: components["responses"]["BadRequest"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    addPlant: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": schemas.Plant$Request;
            };
        };
        responses: {
            /** @description The plant is in the catalogue. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Plant;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    readPlant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plant. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Plant;
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    replacePlant: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the version to change, or several of them, or `*` for any (RFC 9110 section 13.1.1).
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": schemas.Plant$Request;
            };
        };
        responses: {
            /** @description The plant, as it is now. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Plant;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["Changed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            428: components["responses"]["VersionNeeded"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    removePlant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The plant is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    changePlant: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The `ETag` of the version to change, or several of them, or `*` for any (RFC 9110 section 13.1.1).
                 * @example "3"
                 */
                "If-Match"?: components["parameters"]["IfMatch"];
            };
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": schemas.PlantPatch;
            };
        };
        responses: {
            /** @description The plant, as it is now. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Plant;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            412: components["responses"]["Changed"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    readPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The picture, byte for byte as it was uploaded. */
            200: {
                headers: {
                    /** @description A picture may be SVG. No browser runs what is in it. */
                    "Content-Security-Policy": "sandbox";
                    [name: string]: unknown;
                };
                content: {
                    "image/*": Buffer;
                };
            };
            400: components["responses"]["BadRequest"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    uploadPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: x-file-of-a-form */
                    photo: File;
                };
                "image/*": Buffer;
            };
        };
        responses: {
            /** @description The photo is kept. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    reservePlants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": schemas.Reservation$Request;
            };
        };
        responses: {
            /** @description The plants are kept for the customer. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Reservation;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["TooLarge"];
            415: components["responses"]["WrongType"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    readReservation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
                /** @description The `id` of a reservation. */
                reservationId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reservation. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Reservation;
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
    giveUpReservation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: components["parameters"]["PlantId"];
                /** @description The `id` of a reservation. */
                reservationId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The reservation is gone. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            500: components["responses"]["Failure"];
            503: components["responses"]["Unavailable"];
        };
    };
}
export type securitySchemes = "account" | "till";
export interface security {
    "listPlants": [];
    "addPlant": ["account"];
    "readPlant": [];
    "replacePlant": ["account"];
    "changePlant": ["account"];
    "removePlant": ["account"];
    "uploadPhoto": ["account"];
    "readPhoto": [];
    "reservePlants": ["account"] | ["till"];
    "readReservation": ["account"] | ["till"];
    "giveUpReservation": ["account"] | ["till"];
}
