import type { ErrorHeaders } from '@contract-kit/server';
import type { RenderError } from '../generated/handlers';

export declare const renderError: RenderError;
export declare const errorHeaders: ErrorHeaders;
