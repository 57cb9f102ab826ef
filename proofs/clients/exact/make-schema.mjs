// Makes the types for openapi-fetch, with a bigint for each int64: the command of openapi-typescript cannot change types.
import { writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import ts from 'typescript';

const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const schema = await openapiTS(new URL('openapi.yaml', import.meta.url), {
  transform: ({ format }) => (format === 'int64' ? bigint : undefined),
});
writeFileSync('src/schema.ts', astToString(schema));
