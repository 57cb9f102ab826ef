// Writes the curl line that is printed at the start.

/** The request of a curl line. */
export interface Example {
  /** The purpose of the request, as it reads after "To". */
  readonly purpose: string;
  readonly path: string;
  /** The options of curl, without the token. */
  readonly options: string;
}

/** What people are told of a token that was made at the start. */
export function toCurl({ purpose, path, options }: Example, url: string, token: string): string {
  return `No token source is set, so this one counts until the server stops. To ${purpose}:

curl -i ${url}${path} -H 'Authorization: Bearer ${token}' ${options}
`;
}
