// Generated from openapi.yaml by `npm run generate`. Do not edit.
// A name that ends in $Request is for requests, where replies have another type.
/**
 * Format: uuid
 * @example 0198c2f4-7a51-7c3e-9d40-5b1f0a6e2c11
 */
export type Id = string;
/** @description A line of text. */
export type Line = string;
/**
 * @description The place that a plant likes.
 * @enum {string}
 */
export type Light = "sun" | "half shade" | "shade";
/**
 * Format: int32
 * @description How many may be sold.
 */
export type Stock = number;
/** @description A plant of the catalogue. */
export type Plant = {
    id: Id;
    /** @example Lavender */
    name: Line;
    /** @example Lavandula angustifolia */
    botanicalName?: Line;
    light: Light;
    /**
     * Format: int32
     * @description The price of one, in euro cents.
     * @example 450
     */
    cents: number;
    stock: Stock;
    tags?: Tags;
    /**
     * Format: date-time
     * @description When it came into the catalogue.
     */
    added: string;
};
/** @description A plant of the catalogue. */
export type Plant$Request = {
    /** @example Lavender */
    name: Line;
    /** @example Lavandula angustifolia */
    botanicalName?: Line;
    light: Light;
    /**
     * Format: int32
     * @description The price of one, in euro cents.
     * @example 450
     */
    cents: number;
    stock: Stock;
    tags?: Tags;
};
/** @description What changes of a plant. */
export type PlantPatch = {
    name?: Line;
    botanicalName?: Line | null;
    light?: Light;
    /** Format: int32 */
    cents?: number;
    stock?: Stock;
    tags?: Tags | null;
};
export type Tags = Line[];
/** @description A plant that has come into the catalogue. The first event of a stream has none. */
export type Arrival = {
    id?: Id;
    /**
     * Format: int32
     * @description After how many milliseconds to come back.
     */
    retry?: number;
    data?: Plant;
};
/** @description A plant that has come into the catalogue. The first event of a stream has none. */
export type Arrival$Request = {
    id?: Id;
    /**
     * Format: int32
     * @description After how many milliseconds to come back.
     */
    retry?: number;
    data?: Plant$Request;
};
export type PlantPage = {
    plants: Plant[];
    /** @description Ask for the next page `after` this one. The last page has none. */
    next?: Id;
};
export type PlantPage$Request = {
    plants: Plant$Request[];
    /** @description Ask for the next page `after` this one. The last page has none. */
    next?: Id;
};
export type PhotoForm = {
    /** @description JPEG, PNG or WebP. */
    photo: string;
};
export type Reservation = {
    id: Id;
    /** @description The plant that is reserved. */
    plant: Id;
    /** Format: int32 */
    quantity: number;
    customer?: Line;
    /** Format: date-time */
    made: string;
};
export type Reservation$Request = {
    /** Format: int32 */
    quantity: number;
    customer?: Line;
};
export type SoldOut = {
    plant: Id;
    name: Line;
    /** Format: date-time */
    at: string;
};
/** @description What went wrong (RFC 9457). */
export type Problem = {
    /** Format: uri-reference */
    type?: string;
    title: string;
    /** Format: int32 */
    status: number;
    detail?: string;
};
export {};
