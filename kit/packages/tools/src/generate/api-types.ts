// Generates the types of a contract for generated/api.d.ts and generated/schemas.d.ts.
import ts from 'typescript';
import openapiTS, { type SchemaObject, astToString, transformSchemaObject } from 'openapi-typescript';
import {
  ANYTHING,
  bodySchemaOf,
  findDefault,
  type NormalizedDocument as Document,
  type NormalizedSchema as Schema,
  type Operation,
  type ParameterObject,
  INHERITED_NAMES,
  isInt64Format,
  resolvePathItem,
  resolveReference,
} from '@contract-kit/contract';
import { toLiteral } from './contract-text';
import {
  ITEMS,
  MADE_FORMATS,
  matchesNothing,
  NO_PROPERTIES,
  type Mode,
  readSchemaFacts,
  toComponents,
  toView,
  type SchemaFacts,
} from './schema-views';

const { factory, SyntaxKind } = ts;
const BIGINT_NODE = factory.createKeywordTypeNode(SyntaxKind.BigIntKeyword);
const NEVER_NODE = factory.createKeywordTypeNode(SyntaxKind.NeverKeyword);
const UNKNOWN_NODE = factory.createKeywordTypeNode(SyntaxKind.UnknownKeyword);
const NODES_BY_FORMAT = new Map<string, ts.TypeNode>([
  [MADE_FORMATS.bytes, factory.createTypeReferenceNode('Blob')],
  [MADE_FORMATS.file, factory.createTypeReferenceNode('File')],
]);
// Linters reject the type {}.
const EMPTY_NODE = factory.createTypeReferenceNode('Record', [NEVER_NODE, NEVER_NODE]);

/**
 * Generates the types of operations and schemas as handlers see them. An int64 is a `bigint`, since a `number` cannot hold
 * it. Bytes are a `Blob`. Further types list the security schemes, and the schemes of each operation.
 *
 * @returns the text of api.d.ts and of schemas.d.ts
 */
export async function createApiTypes(
  document: Document,
  operations: readonly Operation[],
): Promise<{ readonly api: string; readonly schemas: string }> {
  const facts = readSchemaFacts(document, operations);
  const paths = operations.map((operation) => [`/${operation.id}`, { post: toTypedOperation(facts, operation) }]);
  const typed = {
    openapi: '3.1.0',
    // The contract's own `info` is left out, because openapi-typescript fetches what its extensions refer to.
    info: { title: '', version: '' },
    paths: Object.fromEntries(paths) as object,
    components: { schemas: toComponents(facts) },
  };
  const { text, mark } = markInheritedNames(JSON.stringify(typed));
  const print = (printed: ts.Node[]): string => astToString(printed).replaceAll(mark, '');
  const nodes = await openapiTS(text, {
    silent: true,
    emptyObjectsUnknown: true,
    transform(schema, options) {
      const { [ITEMS]: item } = schema as { readonly [ITEMS]?: SchemaObject };
      if (item) return factory.createTypeReferenceNode('AsyncIterable', [transformSchemaObject(item, options)]);
      if (NO_PROPERTIES in schema) return EMPTY_NODE;
      if (matchesNothing(schema as { readonly not?: unknown })) return NEVER_NODE;
      const isInt64 = isInt64Format(schema.format) && (schema.type === 'integer' || schema.type === 'number');
      return isInt64 ? BIGINT_NODE : NODES_BY_FORMAT.get(String(schema.format));
    },
  });
  const interfaces = nodes.filter(ts.isInterfaceDeclaration);
  const schemaTypes = interfaces.filter(({ name }) => name.text === 'components').flatMap(declareSchemas);
  const operationTypes = interfaces.filter(({ name }) => name.text === 'operations');
  const schemes = new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => toLiteral(scheme))));
  const namesOfSchemas = new Set<string>();
  const operationNodes = operationTypes.map((node) =>
    nameReferences(nameQuerystring(node), (name) => {
      namesOfSchemas.add(name);
      return factory.createQualifiedName(factory.createIdentifier('schemas'), name);
    }),
  );
  const api = [
    namesOfSchemas.size > 0 ? `import type * as schemas from './schemas.js';\n` : '',
    operations.length === 0 ? 'export type operations = Record<never, never>;\n' : print(operationNodes),
    `export type securitySchemes = ${[...schemes].join(' | ') || 'never'};\n`,
    writeSecurityType(operations),
  ];
  return { api: api.join(''), schemas: `${print(schemaTypes)}export {};\n` };
}

const INHERITED = new RegExp(`(?<=["/])(?:${INHERITED_NAMES.join('|')})(?=")`, 'g');

// The bundler of openapi-typescript looks names up in plain objects, where `valueOf` would be a method. With a mark that the
// document does not contain, it is a name like any other.
function markInheritedNames(document: string): { readonly text: string; readonly mark: string } {
  let mark = '_q';
  while (document.includes(mark)) mark += 'q';
  return { text: document.replaceAll(INHERITED, `$&${mark}`), mark };
}

/** Converts an operation for openapi-typescript, with all references resolved except those to schemas. */
function toTypedOperation(facts: SchemaFacts, operation: Operation): object {
  const { document } = facts;
  const { id, path, object, parameters, querystring, body, replies } = operation;
  const item = resolvePathItem(document, document.paths[path] ?? {});
  const nodes = [...(object.parameters ?? []), ...(item.parameters ?? [])];
  const written = nodes.map((node) => resolveReference<ParameterObject>(document, node));
  return {
    operationId: id,
    parameters: [...parameters, ...(querystring ? [toQueryParameter(querystring)] : [])].map((parameter) => {
      const { name, location, isRequired, schema } = parameter;
      const { description } = (written.find((parameter) => parameter.name === name && parameter.in === location) ??
        {}) as {
        description?: string;
      };
      // A handler gets the default if the client sent no value.
      const required = isRequired || findDefault(document, schema) !== undefined;
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

// Stands for the whole query until its type is there, since OpenAPI 3.1 knows no `in: querystring`.
const QUERYSTRING = 'x-querystring';

function toQueryParameter({ media, isRequired }: NonNullable<Operation['querystring']>) {
  const schema: Schema = media.kind === 'text' && media.schema === ANYTHING ? { type: 'string' } : media.schema;
  return { name: QUERYSTRING, location: 'query', isRequired, schema };
}

// Writes `querystring` in the place of a query that has only its stand-in.
function nameQuerystring(node: ts.Node): ts.Node {
  const isQuery = ts.isPropertySignature(node) && ts.isIdentifier(node.name) && node.name.text === 'query';
  const [member] = isQuery && node.type && ts.isTypeLiteralNode(node.type) ? node.type.members : [];
  const isStandIn = member && ts.isPropertySignature(member) && (member.name as ts.StringLiteral).text === QUERYSTRING;
  if (!isStandIn) return ts.visitEachChild(node, nameQuerystring, undefined);
  return factory.createPropertySignature(undefined, 'querystring', member.questionToken, member.type);
}

// Handlers get unchecked bodies as bytes or text.
function toContent(facts: SchemaFacts, media: NonNullable<Operation['body']>['media'], mode: Mode): object {
  const bodies = [...media.values()].map((one): [type: string, body: object] => {
    const { type, kind, item } = one;
    const body = bodySchemaOf(one);
    if (item) return [type, { schema: { type: 'object', [ITEMS]: toView(facts, body, mode) } }];
    const isParsed = body !== ANYTHING || kind === 'json' || kind === 'form';
    const unparsed = { type: 'string', ...(kind === 'binary' && { format: MADE_FORMATS.bytes }) };
    return [type, { schema: isParsed ? toView(facts, body, mode) : unparsed }];
  });
  return Object.fromEntries(bodies);
}

// Declares each schema as a type of its own, instead of as a member of `components`.
function declareSchemas(components: ts.InterfaceDeclaration): ts.Node[] {
  const properties = components.members.filter(ts.isPropertySignature);
  const types = properties.find(({ name }) => ts.isIdentifier(name) && name.text === 'schemas')?.type;
  const members = types && ts.isTypeLiteralNode(types) ? types.members.filter(ts.isPropertySignature) : [];
  return members.map((member) => {
    const { type } = nameReferences(member, (name) => factory.createIdentifier(name)) as ts.PropertySignature;
    const name = (member.name as ts.Identifier).text;
    const alias = factory.createTypeAliasDeclaration(
      [factory.createModifier(SyntaxKind.ExportKeyword)],
      name,
      undefined,
      type ?? UNKNOWN_NODE,
    );
    return ts.setSyntheticLeadingComments(alias, ts.getSyntheticLeadingComments(member));
  });
}

// Replaces `components["schemas"]["Plant"]` by a name.
function nameReferences(node: ts.Node, toEntityName: (name: string) => ts.EntityName): ts.Node {
  const literal =
    ts.isIndexedAccessTypeNode(node) && ts.isLiteralTypeNode(node.indexType) ? node.indexType.literal : undefined;
  if (literal && ts.isStringLiteral(literal)) return factory.createTypeReferenceNode(toEntityName(literal.text));
  return ts.visitEachChild(node, (child) => nameReferences(child, toEntityName), undefined);
}

// Writes lines such as `"getPet": ["bearer"] | ["basic", "key"];`: in each alternative, the schemes needed together.
function writeSecurityType(operations: readonly Operation[]): string {
  const rows = operations.map(({ id, security }) => {
    const alternatives = security.map((needed) => `[${needed.map(({ scheme }) => toLiteral(scheme)).join(', ')}]`);
    return `    ${toLiteral(id)}: ${[...new Set(alternatives)].join(' | ') || '[]'};\n`;
  });
  if (rows.length === 0) return 'export type security = Record<never, never>;\n';
  return `export interface security {\n${rows.join('')}}\n`;
}
