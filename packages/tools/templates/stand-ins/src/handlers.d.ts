// With these files and the generated/ of the nursery, the compiler checks the templates. No project gets them.
import type { Handlers } from '../generated/handlers';

export declare const handlers: Handlers;
export declare function createHandlers(store: object): Handlers;
