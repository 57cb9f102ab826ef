const PIECE = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/**
 * Whether an object in a JSON text has two members with the same name, of which JSON.parse takes the last.
 *
 * @param json well-formed, an object or an array
 */
export function hasDuplicateNames(json: string): boolean {
  const seen = new Set<string>();
  // Where each object or array begins that is open, which tells them apart.
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
