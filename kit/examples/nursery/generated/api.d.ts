// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type * as schemas from './schemas.js';
export interface operations {
    listPlants: {
        parameters: {
            query: {
                /** @description A text to search for. */
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
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.PlantPage;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
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
            201: {
                headers: {
                    Location: string;
                    ETag: string;
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
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    followArrivals: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `id` of the last event that the client got. */
                "Last-Event-ID"?: schemas.Id;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": AsyncIterable<{
                        id?: schemas.Id;
                        /**
                         * Format: int32
                         * @description After how many milliseconds to come back.
                         */
                        retry?: number;
                        data?: schemas.Plant;
                    }>;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    readPlant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    ETag: string;
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
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    replacePlant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or several of them, or `*` for any (RFC 9110 section 13.1.1). */
                "If-Match"?: string;
            };
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": schemas.Plant$Request;
            };
        };
        responses: {
            200: {
                headers: {
                    ETag: string;
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
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            428: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    changePlant: {
        parameters: {
            query?: never;
            header?: {
                /** @description The `ETag` of the version to change, or several of them, or `*` for any (RFC 9110 section 13.1.1). */
                "If-Match"?: string;
            };
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": schemas.PlantPatch;
            };
        };
        responses: {
            200: {
                headers: {
                    ETag: string;
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
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            412: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    removePlant: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    uploadPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: x-file-of-a-form */
                    photo: File;
                };
                "image/*": Blob;
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    readPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    "Content-Security-Policy": "sandbox";
                    [name: string]: unknown;
                };
                content: {
                    "image/*": Blob;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    reservePlants: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": schemas.Reservation$Request;
            };
        };
        responses: {
            201: {
                headers: {
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Reservation;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    readReservation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
                /** @description The `id` of a reservation. */
                reservationId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": schemas.Reservation;
                };
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
    giveUpReservation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The `id` of a plant. */
                plantId: schemas.Id;
                /** @description The `id` of a reservation. */
                reservationId: schemas.Id;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            401: {
                headers: {
                    "WWW-Authenticate": string;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
            503: {
                headers: {
                    "Retry-After": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": schemas.Problem;
                };
            };
        };
    };
}
export type securitySchemes = "account" | "till";
export interface security {
    "listPlants": [];
    "addPlant": ["account"];
    "followArrivals": [];
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
