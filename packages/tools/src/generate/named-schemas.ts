// Gives each schema a type with its name, as replies have it and as requests have it.
import ts from 'typescript';

type Mode = 'request' | 'reply';

// openapi-typescript writes `$Read<T>` for what is readOnly, `$Write<T>` for what is writeOnly.
const EXCLUDED_MARKER = { request: '$Read', reply: '$Write' } as const;

// Their argument is the type. `WithRequired` is superfluous, since `addRequiredProperties` adds what it requires.
const WRAPPERS: ReadonlySet<string> = new Set([...Object.values(EXCLUDED_MARKER), 'WithRequired']);
const HELPERS: ReadonlySet<string> = new Set([...WRAPPERS, 'Readable', 'Writable']);

// The types of schemas refer to these: a schema with such a name has another one in TypeScript.
const USED_NAMES = ['Buffer', 'ErrorNumber', 'File', 'Omit', 'Record'];

const MODES: Readonly<Record<string, Mode>> = {
  parameters: 'request',
  requestBody: 'request',
  requestBodies: 'request',
  responses: 'reply',
  headers: 'reply',
};

/**
 * Takes the types of the schemas out of those that openapi-typescript makes. `Plant` is the schema as replies have it,
 * without what is writeOnly. Where requests differ, `Plant$Request` is without what is readOnly: no schema has a `$` in
 * its name.
 *
 * @returns the nodes of api.d.ts, which refer to `schemas.Plant`, and those of schemas.d.ts
 */
export function nameSchemas(nodes: readonly ts.Node[]): { readonly api: ts.Node[]; readonly schemas: ts.Node[] } {
  const usedNodes = nodes.filter((node) => !(ts.isTypeAliasDeclaration(node) && HELPERS.has(node.name.text)));
  const schemas = usedNodes.flatMap(findSchemas);
  const typeNames = toTypeNames(schemas.map(nameOf));
  const differing = findDiffering(schemas);

  return {
    api: usedNodes.map((node) => (ts.isInterfaceDeclaration(node) ? toApi(node) : node)),
    schemas: schemas.flatMap((schema) => [
      declare(schema, 'reply'),
      ...(differing.has(nameOf(schema)) ? [declare(schema, 'request')] : []),
    ]),
  };

  function toTypeName(schema: string, mode: Mode): string {
    return `${typeNames.get(schema) ?? schema}${mode === 'request' && differing.has(schema) ? '$Request' : ''}`;
  }

  function declare(schema: ts.PropertySignature, mode: Mode): ts.Node {
    const view = toView(schema, mode, (name) => ts.factory.createIdentifier(name)) as ts.PropertySignature;
    const alias = ts.factory.createTypeAliasDeclaration(
      [ts.factory.createModifier(ts.SyntaxKind.ExportKeyword)],
      toTypeName(nameOf(schema), mode),
      undefined,
      view.type ?? ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword),
    );
    return ts.setSyntheticLeadingComments(alias, ts.getSyntheticLeadingComments(schema));
  }

  // Only components has members whose names say the mode; operations and paths have them a level below.
  function toApi(node: ts.InterfaceDeclaration): ts.Node {
    if (node.name.text === 'components') return ts.visitEachChild(node, toApiMember, undefined);
    return ts.visitEachChild(node, (member) => ts.visitEachChild(member, toApiMember, undefined), undefined);
  }

  function toApiMember(node: ts.Node): ts.Node {
    const name = ts.isPropertySignature(node) ? nameOf(node) : '';
    const mode = MODES[name];
    if (mode !== undefined) return toView(node, mode, toQualifiedName) ?? node;
    if (name === 'schemas') return ts.visitEachChild(node, listSchemas, undefined);
    return ts.visitEachChild(node, toApiMember, undefined);
  }

  function listSchemas(node: ts.Node): ts.Node {
    return ts.visitEachChild(node, toSchemaReference, undefined);
  }

  function toSchemaReference(node: ts.Node): ts.Node {
    if (!ts.isPropertySignature(node)) return node;
    const type = ts.factory.createTypeReferenceNode(toQualifiedName(toTypeName(nameOf(node), 'reply')));
    return ts.factory.createPropertySignature(undefined, node.name, undefined, type);
  }

  // Returns undefined for a property that the mode does not have.
  function toView(node: ts.Node, mode: Mode, toEntityName: (name: string) => ts.EntityName): ts.Node | undefined {
    const visit = (child: ts.Node): ts.Node | undefined => toView(child, mode, toEntityName);
    if (ts.isPropertySignature(node) && node.type && referredName(node.type) === EXCLUDED_MARKER[mode])
      return undefined;
    const [wrapped] = WRAPPERS.has(referredName(node) ?? '')
      ? ((node as ts.TypeReferenceNode).typeArguments ?? [])
      : [];
    if (wrapped) return visit(wrapped);
    const schema = referredSchema(node);
    if (schema !== undefined) return ts.factory.createTypeReferenceNode(toEntityName(toTypeName(schema, mode)));
    return ts.visitEachChild(node, visit, undefined);
  }
}

function toQualifiedName(name: string): ts.QualifiedName {
  return ts.factory.createQualifiedName(ts.factory.createIdentifier('schemas'), name);
}

function nameOf({ name }: ts.PropertySignature): string {
  return ts.isComputedPropertyName(name) ? '' : name.text;
}

// The members of `schemas` in `components`.
function findSchemas(node: ts.Node): ts.PropertySignature[] {
  if (!ts.isInterfaceDeclaration(node) || node.name.text !== 'components') return [];
  const schemas = node.members.filter(ts.isPropertySignature).find((member) => nameOf(member) === 'schemas')?.type;
  return schemas && ts.isTypeLiteralNode(schemas) ? schemas.members.filter(ts.isPropertySignature) : [];
}

// The name in a reference such as `$Read<T>`.
function referredName(node: ts.Node): string | undefined {
  return ts.isTypeReferenceNode(node) && ts.isIdentifier(node.typeName) ? node.typeName.text : undefined;
}

// The schema of a reference, `components["schemas"]["Plant"]`.
function referredSchema(node: ts.Node): string | undefined {
  if (!ts.isIndexedAccessTypeNode(node) || !ts.isIndexedAccessTypeNode(node.objectType)) return undefined;
  const { objectType, indexType } = node.objectType;
  const isSchema = referredName(objectType) === 'components' && literalOf(indexType) === 'schemas';
  return isSchema ? literalOf(node.indexType) : undefined;
}

function literalOf(node: ts.TypeNode): string | undefined {
  return ts.isLiteralTypeNode(node) && ts.isStringLiteral(node.literal) ? node.literal.text : undefined;
}

// Finds the schemas that requests and replies have differently: with a marker, or a reference to such a schema.
function findDiffering(schemas: readonly ts.PropertySignature[]): ReadonlySet<string> {
  const differing = new Set<string>();
  for (;;) {
    const found = schemas.filter((schema) => !differing.has(nameOf(schema)) && hasDifference(schema));
    if (found.length === 0) return differing;
    for (const schema of found) differing.add(nameOf(schema));
  }

  function hasDifference(node: ts.Node): boolean {
    const isMarker = Object.values<string | undefined>(EXCLUDED_MARKER).includes(referredName(node));
    if (isMarker || differing.has(referredSchema(node) ?? '')) return true;
    return ts.forEachChild(node, (child) => hasDifference(child) || undefined) ?? false;
  }
}

// A name that TypeScript does not allow, or that is used, has `_` for other characters, and `$` at its end.
function toTypeNames(schemas: readonly string[]): ReadonlyMap<string, string> {
  const used = new Set(USED_NAMES);
  const names = schemas.map(
    (schema) => [schema, schema.replace(/[^\p{ID_Continue}]/gu, '_').replace(/^\d/, '_$&')] as const,
  );
  const unchangedFirst = names.toSorted((a, b) => Number(a[0] !== a[1]) - Number(b[0] !== b[1]));
  return new Map(
    unchangedFirst.map(([schema, identifier]) => {
      let name = identifier;
      while (used.has(name) || ts.identifierToKeywordKind(ts.factory.createIdentifier(name)) !== undefined) name += '$';
      used.add(name);
      return [schema, name];
    }),
  );
}
