// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type * as schemas from './schemas.js';
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
export type securitySchemes = "bearerAuth";
export interface security {
    "createPlant": ["bearerAuth"];
}
