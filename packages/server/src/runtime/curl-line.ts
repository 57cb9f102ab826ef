// Writes the curl line that is printed at the start.

/** The request of a curl line. */
export interface Example {
  /** The purpose of the request, as it reads after "To". */
  readonly purpose: string;
  readonly path: string;
  /** The options of curl, without the token. */
  readonly options: string;
  /** The option that sends the token, in place of TOKEN: by default as a bearer token. */
  readonly credentials?: string;
}

const BEARER = "-H 'Authorization: Bearer TOKEN'";

interface Addresses {
  readonly url: string;
  readonly docs: string | undefined;
}

/** The lines about the generated token that are printed at the start. */
export function toCurl(
  { purpose, path, options, credentials = BEARER }: Example,
  { url, docs }: Addresses,
  token: string,
): string {
  const aboutPage = docs === undefined ? '' : `\nThe documentation page: ${docs}\n`;
  return `No token source is set, so this one counts until the server stops. To ${purpose}:

curl -i ${url}${path} ${credentials.replace('TOKEN', token)} ${options}
${aboutPage}`;
}
