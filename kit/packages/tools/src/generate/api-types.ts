// Generates the types in generated/api.d.ts and generated/schemas.d.ts.
import { createRequire } from 'node:module';
import type TS from 'typescript';
import openapiTS, { type SchemaObject, astToString, transformSchemaObject } from 'openapi-typescript';
import {
  ANYTHING,
  bodySchemaOf,
  findDefault,
  type NormalizedDocument as Document,
  type NormalizedSchema as Schema,
  type Operation,
  INHERITED_NAMES,
  isInt64Format,
  resolvePathItem,
  resolveReference,
} from '@contract-kit/contract';
import { toLiteral } from './contract-text';
import {
  type Mode,
  readSchemaFacts,
  toClientFacts,
  toComponents,
  toView,
  TYPE,
  type SchemaFacts,
} from './schema-views';

// The nodes of openapi-typescript need its own version of TypeScript, which can differ from the application's.
const ts = createRequire(require.resolve('openapi-typescript'))('typescript') as typeof TS;
const { factory, SyntaxKind } = ts;
const BIGINT_NODE = factory.createKeywordTypeNode(SyntaxKind.BigIntKeyword);
const NULL_NODE = factory.createLiteralTypeNode(factory.createNull());
const UNKNOWN_NODE = factory.createKeywordTypeNode(SyntaxKind.UnknownKeyword);

/**
 * Generates the types for handlers, in which an int64 is a `bigint`, and bytes are a `Blob`. `paths` and `components` are for
 * clients, which get an int64 from JSON.parse as a `number`.
 *
 * @returns the contents of api.d.ts and schemas.d.ts
 */
export async function createApiTypes(
  document: Document,
  operations: readonly Operation[],
): Promise<{ readonly api: string; readonly schemas: string }> {
  const facts = readSchemaFacts(document, operations);
  const { print, nodesOf } = await createNodes(facts, operations);
  const clientNodes = await createNodes(toClientFacts(facts), operations);
  const schemaTypes = nodesOf('components').filter(ts.isInterfaceDeclaration).flatMap(declareSchemas);
  const schemes = new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => toLiteral(scheme))));
  const namesOfSchemas = new Set<string>();
  const operationNodes = nodesOf('operations').map((node) =>
    nameReferences(replaceNodes(node, nameQuerystring), (name) => {
      namesOfSchemas.add(name);
      return factory.createQualifiedName(factory.createIdentifier('schemas'), name);
    }),
  );
  const api = [
    namesOfSchemas.size > 0 ? `import type * as schemas from './schemas.js';\n` : '',
    '/** What handlers get and reply with, by operation. An int64 is a bigint. */\n',
    operations.length === 0 ? 'export type operations = Record<never, never>;\n' : print(operationNodes),
    '/** The names of all security schemes. */\n',
    `export type securitySchemes = ${[...schemes].join(' | ') || 'never'};\n`,
    '/** The security schemes of each operation: each list has those that a caller needs together. */\n',
    writeSecurityType(operations),
    '/** What clients send and get, by path, for tools such as openapi-fetch. An int64 is a number. */\n',
    clientNodes.print(clientNodes.nodesOf('paths')),
    '/** The schemas of what clients send and get. */\n',
    clientNodes.print(clientNodes.nodesOf('components')),
  ];
  const note =
    facts.differing.size > 0
      ? '// A name that ends in $Request is for requests, where replies have another type.\n'
      : '';
  return { api: api.join(''), schemas: `${note}${print(schemaTypes)}export {};\n` };
}

// Generates `operations` and `components` for handlers, or `paths` and `components` for clients.
async function createNodes(facts: SchemaFacts, operations: readonly Operation[]) {
  const paths: Record<string, object> = {};
  for (const operation of operations) {
    const { id, path, method } = operation;
    // openapi-typescript ignores unknown methods.
    const [place, verb] = facts.isForClients ? [path, method.toLowerCase()] : [`/${id}`, 'post'];
    paths[place] = { ...paths[place], [verb]: toTypedOperation(facts, operation) };
  }
  const typedDocument = {
    openapi: '3.1.0',
    // openapi-typescript would fetch references from extensions in the contract's own `info`.
    info: { title: '', version: '' },
    paths,
    components: { schemas: toComponents(facts) },
  };
  const { text, suffix: mark } = markInheritedNames(JSON.stringify(typedDocument));
  const nodes = await openapiTS(text, {
    silent: true,
    emptyObjectsUnknown: true,
    transform(schema, options) {
      const { [TYPE]: type, items } = schema as { readonly [TYPE]?: string; readonly items?: SchemaObject };
      if (type !== undefined) {
        const item = type === 'AsyncIterable' && items ? [transformSchemaObject(items, options)] : undefined;
        const node = factory.createTypeReferenceNode(type, item);
        return [schema.type].flat().includes('null') ? factory.createUnionTypeNode([node, NULL_NODE]) : node;
      }
      const isInt64 = isInt64Format(schema.format) && (schema.type === 'integer' || schema.type === 'number');
      return isInt64 && !facts.isForClients ? BIGINT_NODE : undefined;
    },
  });
  const declarations = nodes.filter((node) => ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node));
  return {
    nodesOf: (name: string): TS.Node[] => declarations.filter((node) => node.name.text === name),
    print: (printed: TS.Node[]): string => astToString(printed).replaceAll(mark, ''),
  };
}

const INHERITED_NAME = new RegExp(`(?<=["/])(?:${INHERITED_NAMES.join('|')})(?=")`, 'g');

// openapi-typescript looks up names in plain objects, which inherit `valueOf`. With a suffix, it becomes an ordinary name.
function markInheritedNames(document: string): { readonly text: string; readonly suffix: string } {
  let suffix = '_q';
  while (document.includes(suffix)) suffix += 'q';
  return { text: document.replaceAll(INHERITED_NAME, `$&${suffix}`), suffix: suffix };
}

function toTypedOperation(facts: SchemaFacts, operation: Operation): object {
  const { document } = facts;
  const { id, path, object, parameters, querystring, body, replies } = operation;
  const item = resolvePathItem(document, document.paths[path] ?? {});
  const nodes = [...(object.parameters ?? []), ...(item.parameters ?? [])];
  const declarations = nodes.map((node) => resolveReference(document, node, 'Parameter'));
  const querystringParameters = querystring && !facts.isForClients ? [toQueryParameter(querystring)] : [];
  return {
    // With an operationId, openapi-typescript would declare the operation outside its path.
    operationId: facts.isForClients ? undefined : id,
    parameters: [...parameters, ...querystringParameters].map(({ name, location, isRequired, schema }) => {
      const description = declarations.find((entry) => entry.name === name && entry.in === location)?.description;
      // A handler gets the default if the client does not send a value.
      const required = isRequired || (!facts.isForClients && findDefault(document, schema) !== undefined);
      return { name, in: location, required, description, schema: toView(facts, schema, 'request') };
    }),
    ...(body && { requestBody: { required: body.isRequired, content: toContent(facts, body.media, 'request') } }),
    responses: Object.fromEntries(
      [...replies].map(([status, { headers, media }]) => {
        const members = headers.map(({ name, isRequired, schema }) => {
          return [name, { required: isRequired, schema: toView(facts, schema, 'reply') }] as const;
        });
        const content = media.size > 0 ? { content: toContent(facts, media, 'reply') } : {};
        return [status, { description: '', headers: Object.fromEntries(members), ...content }];
      }),
    ),
  };
}

// OpenAPI 3.1 does not have `in: querystring`, so a query parameter with this name replaces it while types are generated.
const QUERYSTRING = 'x-querystring';

function toQueryParameter({ media, isRequired }: NonNullable<Operation['querystring']>) {
  const schema: Schema = media.kind === 'text' && media.schema === ANYTHING ? { type: 'string' } : media.schema;
  return { name: QUERYSTRING, location: 'query', isRequired, schema };
}

function nameQuerystring(node: TS.Node): TS.Node | undefined {
  const isQuery = ts.isPropertySignature(node) && ts.isIdentifier(node.name) && node.name.text === 'query';
  const [member] = isQuery && node.type && ts.isTypeLiteralNode(node.type) ? node.type.members : [];
  const isStandIn = member && ts.isPropertySignature(member) && (member.name as TS.StringLiteral).text === QUERYSTRING;
  if (!isStandIn) return undefined;
  return factory.createPropertySignature(undefined, 'querystring', member.questionToken, member.type);
}

// Handlers get unchecked bodies as bytes or text. For clients, they have the contract's type.
function toContent(facts: SchemaFacts, media: NonNullable<Operation['body']>['media'], mode: Mode): object {
  const bodies = [...media.values()].map((bodyMedia): [type: string, body: object] => {
    const { type, kind, item, writtenSchema } = bodyMedia;
    if (facts.isForClients) return [type, { schema: writtenSchema && toView(facts, writtenSchema, mode) }];
    const body = bodySchemaOf(bodyMedia);
    if (item) return [type, { schema: { type: 'object', [TYPE]: 'AsyncIterable', items: toView(facts, body, mode) } }];
    const isParsed = body !== ANYTHING || kind === 'json' || kind === 'form';
    const unparsedSchema = kind === 'binary' ? { type: 'object', [TYPE]: 'Blob' } : { type: 'string' };
    return [type, { schema: isParsed ? toView(facts, body, mode) : unparsedSchema }];
  });
  return Object.fromEntries(bodies);
}

function declareSchemas(components: TS.InterfaceDeclaration): TS.Node[] {
  const properties = components.members.filter(ts.isPropertySignature);
  const types = properties.find(({ name }) => ts.isIdentifier(name) && name.text === 'schemas')?.type;
  const members = types && ts.isTypeLiteralNode(types) ? types.members.filter(ts.isPropertySignature) : [];
  return members.map((member) => {
    const { type = UNKNOWN_NODE } = nameReferences(member, (name) => factory.createIdentifier(name));
    const exportModifiers = [factory.createModifier(SyntaxKind.ExportKeyword)];
    const alias = factory.createTypeAliasDeclaration(exportModifiers, member.name as TS.Identifier, undefined, type);
    return ts.setSyntheticLeadingComments(alias, ts.getSyntheticLeadingComments(member));
  });
}

// Replaces references such as `components["schemas"]["Plant"]` with a name.
function nameReferences<T extends TS.Node>(tree: T, toEntityName: (name: string) => TS.EntityName): T {
  return replaceNodes(tree, (node) => {
    const literal = ts.isIndexedAccessTypeNode(node) && ts.isLiteralTypeNode(node.indexType) && node.indexType.literal;
    if (!literal || !ts.isStringLiteral(literal)) return undefined;
    return factory.createTypeReferenceNode(toEntityName(literal.text));
  });
}

// Without a context, TypeScript 5.0 does not visit children.
function replaceNodes<T extends TS.Node>(tree: T, replace: (node: TS.Node) => TS.Node | undefined): T {
  const transformer: TS.TransformerFactory<T> = (context) => {
    const visit = (node: TS.Node): TS.Node => replace(node) ?? ts.visitEachChild(node, visit, context);
    return (root) => visit(root) as T;
  };
  return ts.transform(tree, [transformer]).transformed[0] ?? tree;
}

// Writes a line for each operation, such as `"getPet": ["bearer"] | ["basic", "key"];`.
function writeSecurityType(operations: readonly Operation[]): string {
  const rows = operations.map(({ id, security }) => {
    const alternatives = security.map((schemes) => `[${schemes.map(({ scheme }) => toLiteral(scheme)).join(', ')}]`);
    return `    ${toLiteral(id)}: ${[...new Set(alternatives)].join(' | ') || '[]'};\n`;
  });
  if (rows.length === 0) return 'export type security = Record<never, never>;\n';
  return `export interface security {\n${rows.join('')}}\n`;
}
