import { Mistake } from './mistake';

/**
 * Follows a reference to the object that it names, which may be a reference too.
 *
 * @param node its $ref is a JSON pointer into `root`, as a URI fragment (RFC 6901)
 * @throws Mistake when it leads nowhere
 */
export function followReference(root: object, node: { readonly $ref: string }): object {
  const { $ref: reference } = node;
  const [, ...keys] = reference.split('/');
  return keys.reduce<object>((parent, key) => {
    const name = decode(node, key).replaceAll('~1', '/').replaceAll('~0', '~');
    const child = Object.hasOwn(parent, name) ? (parent as Readonly<Record<string, unknown>>)[name] : undefined;
    if (typeof child !== 'object' || child === null) throw new Mistake(node, `${reference} leads nowhere`, '$ref');
    return child;
  }, root);
}

function decode(node: { readonly $ref: string }, key: string): string {
  try {
    return decodeURIComponent(key);
  } catch {
    throw new Mistake(node, `${node.$ref} leads nowhere: % begins two hexadecimal digits, and itself is %25`, '$ref');
  }
}
