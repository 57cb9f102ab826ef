// Resolves a link of a reply to the target of a request.

/**
 * Returns the path and query of a link, without the base URL's path; undefined when it leads out of the base URL.
 *
 * @param link an absolute or relative URL reference, such as `/v1/books?page=2` or `?page=2`
 * @param requestTarget the path and query of the request, without the base URL's path
 */
export function toTargetBelow(base: URL, link: string, requestTarget: string): string | undefined {
  const prefix = base.pathname.replace(/\/$/, '');
  const url = URL.parse(link, `${base.origin}${prefix}${requestTarget}`);
  if (url?.origin !== base.origin || !isBelow(url.pathname, prefix)) return undefined;
  return `${url.pathname.slice(prefix.length)}${url.search}`;
}

// `/v1` and `/v1/books` are below `/v1`, `/v10/books` is not.
function isBelow(path: string, prefix: string): boolean {
  return path === prefix || path.startsWith(`${prefix}/`);
}
