import type { RenderError } from '../generated/handlers';

export declare const renderError: RenderError;
