// Finds query parameters for paging by their usual names.
import type { Operation, Parameter } from './model';
import { pointersOf, propertiesOf, requiredOf, typesOf, type Schema } from './schema';

export const PAGE_SIZE_NAMES = /^(?:limit|per page|page size|size|page limit|first|count|top|max results|max)$/;
export const CURSOR_NAMES =
  /^(?:cursor|after|page token|next token|starting after|continuation token|continue|next|marker|page cursor)$/;
export const OFFSET_NAMES = /^(?:offset|skip|start|start index)$/;
export const PAGE_NUMBER_NAMES = /^(?:page|page number)$/;

export function findQueryParameter({ parameters }: Operation, names: RegExp): Parameter | undefined {
  const candidates = parameters.filter((parameter) => parameter.in === 'query' && parameter.skipReason === undefined);
  return candidates.flatMap(membersOf).find(({ name, schema }) => matchesNames(name, names) && !isContainer(schema));
}

/** Splits an object parameter into one parameter per member, such as `page[size]`. */
export function membersOf(parameter: Parameter): Parameter[] {
  const { name, style, isExploded, schema } = parameter;
  // If members are required, none of the others is valid alone.
  const isSplit = (style === 'deepObject' || (style === 'form' && isExploded)) && requiredOf(schema).size === 0;
  if (!isSplit || ![...typesOf(schema)].every((type) => type === 'object')) return [parameter];
  return [...propertiesOf(schema)].map(([member, memberSchema]) => ({
    ...parameter,
    name: style === 'deepObject' ? `${name}[${member}]` : member,
    style: 'form',
    schema: memberSchema,
  }));
}

// Also matches `after` in `page[after]`, and `top` in `$top`, because normalizing removes punctuation.
function matchesNames(name: string, names: RegExp): boolean {
  return names.test(normalizeName(name)) || names.test(normalizeName(name.split('[').at(-1) ?? ''));
}

function isContainer(schema: Schema): boolean {
  return [...typesOf(schema)].every((type) => type === 'object' || type === 'array');
}

/** Whether clients can get valid values only from replies, as for page cursors and entity tags. */
export function isGivenByReply(parameter: Parameter): boolean {
  const { in: location, name, isRequired, schema } = parameter;
  const isOpaqueText = typesOf(schema).has('string') && pointersOf(schema, 'enum', 'const', 'format').length === 0;
  const isCursor = location === 'query' && !isRequired && isOpaqueText && matchesNames(name, CURSOR_NAMES);
  return isCursor || isEntityTag(parameter);
}

/** Whether a parameter is If-Match or If-None-Match (RFC 9110 section 13.1). */
export function isEntityTag({ in: location, name }: Parameter): boolean {
  return location === 'header' && /^if-(?:none-)?match$/i.test(name);
}

/** Converts both `bookId` and `book_id` to `book id`. */
export function normalizeName(name: string): string {
  return wordsOf(name).join(' ');
}

function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .split(/[^A-Za-z\d]+/)
    .filter((word) => word !== '')
    .map((word) => word.toLowerCase());
}
