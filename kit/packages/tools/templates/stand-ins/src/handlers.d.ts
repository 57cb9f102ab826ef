// The compiler checks the templates against these files and the nursery's generated/. Projects do not get them.
import type { Handlers } from '../generated/handlers';

export declare const handlers: Handlers;
export declare function createHandlers(store: object): Handlers;
