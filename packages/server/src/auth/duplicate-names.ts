// Finds names that stand twice in an object of a JSON text.

const PIECE = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/**
 * Whether an object in a JSON text has two members with the same name. JSON.parse takes the last one.
 *
 * @param json well-formed, an object or an array
 */
export function hasDuplicateNames(json: string): boolean {
  const seen = new Set<string>();
  // The objects and arrays that are open, each identified by the index of its first character.
  const open: number[] = [];
  for (const { 0: piece, 1: colon, index } of json.matchAll(PIECE)) {
    if (piece === '{' || piece === '[') open.push(index);
    else if (piece === '}' || piece === ']') open.pop();
    else if (colon !== undefined) {
      const name = `${String(open.at(-1))} ${JSON.parse(piece.slice(0, -colon.length)) as string}`;
      if (seen.has(name)) return true;
      seen.add(name);
    }
  }
  return false;
}
