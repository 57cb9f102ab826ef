// Finds patterns that are regular expressions only without the flag u.
import { type Document, findSchemas, Mistake, type Schema } from '@contract-kit/server/contract';

/** Finds patterns that do not compile with the flag u, as JSON Schema has it. */
export function findPatternAdvice(document: Document): Mistake[] {
  const places = [...findSchemas(document)].flatMap(patternsOf);
  return places.flatMap(({ node, key, pattern }) => {
    const error = findUnicodeError(pattern);
    if (error === undefined) return [];
    const better = withoutNeedlessEscapes(pattern);
    const advice = findUnicodeError(better) === undefined ? `; write ${JSON.stringify(better)}` : '';
    return [new Mistake(node, `does not compile with the flag u, as JSON Schema has it: ${error}${advice}`, key)];
  });
}

/** Lists the patterns of a schema with their places: of its `pattern`, and the keys of its `patternProperties`. */
export function patternsOf(
  schema: Schema,
): { readonly node: object; readonly key: string; readonly pattern: string }[] {
  const { pattern, patternProperties = {} } = schema;
  return [
    ...(pattern === undefined ? [] : [{ node: schema, key: 'pattern', pattern }]),
    ...Object.keys(patternProperties).map((key) => ({ node: patternProperties, key, pattern: key })),
  ];
}

/** The last part of the message, which repeats the pattern before it; undefined if the pattern compiles with the flag u. */
export function findUnicodeError(pattern: string): string | undefined {
  try {
    new RegExp(pattern, 'u');
    return undefined;
  } catch (error) {
    const { message } = error as Error;
    return message.slice(message.lastIndexOf(': ') + 2);
  }
}

/** Removes the backslashes before characters that need none, such as that of `\@`: the flag u does not allow them. */
function withoutNeedlessEscapes(pattern: string): string {
  const unescape = (text: string, needsBackslash: RegExp): string =>
    text.replace(/\\([^])/g, (all, character: string) => (needsBackslash.test(character) ? all : character));
  // A part is a class such as [a-z\]], or one escape outside of classes. In a class, other characters are special.
  // Letters and digits keep their backslashes: `\d` is not `d`.
  return pattern.replace(/\[(?:\\[^]|[^\]\\])*\]|\\[^]/g, (part) =>
    part.startsWith('[') ? unescape(part, /[a-z\d\\\]^-]/i) : unescape(part, /[a-z\d^$\\.*+?()[\]{}|/]/i),
  );
}
