import { Mistake } from './mistake';

/**
 * Follows a reference such as `#/components/schemas/Cat` (RFC 6901) to its object, which may be a reference too.
 *
 * @throws Mistake when it leads nowhere
 */
export function followReference(root: object, node: { readonly $ref: string }): object {
  const { $ref: reference } = node;
  // The first part is the # itself.
  const [, ...encodedKeys] = reference.split('/');
  return encodedKeys.reduce<object>((parent, encodedKey) => {
    // In a JSON pointer, ~1 is a slash and ~0 is a tilde.
    const key = decodeUri(node, encodedKey).replaceAll('~1', '/').replaceAll('~0', '~');
    const child = Object.hasOwn(parent, key) ? (parent as Readonly<Record<string, unknown>>)[key] : undefined;
    if (typeof child !== 'object' || child === null) throw new Mistake(node, `${reference} leads nowhere`, '$ref');
    return child;
  }, root);
}

function decodeUri(node: { readonly $ref: string }, encodedKey: string): string {
  try {
    return decodeURIComponent(encodedKey);
  } catch {
    throw new Mistake(node, `${node.$ref} leads nowhere: % begins two hexadecimal digits, and itself is %25`, '$ref');
  }
}
