// Generated from openapi.yaml by `npm run generate`. Do not edit.
/** The path of the contract in the project. */
export declare const file: string;
/** The SHA-256 of the contract's text with the line ends of Unix, in hexadecimal. */
export declare const sha256: string;
