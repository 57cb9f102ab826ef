// Finds names that stand twice in an object of a JSON text.

// A string, with the colon after it if it is the name of a member; or a bracket or brace.
const STRING_OR_BRACKET = /"(?:[^"\\]|\\.)*"(\s*:)?|[{}[\]]/g;

/** Of two members with one name, JSON.parse takes the last. `json` is well-formed, an object or an array. */
export function hasDuplicateNames(json: string): boolean {
  // Each name after the identifier of its object, such as `0 iss`.
  const seen = new Set<string>();
  // The objects and arrays that are open, each identified by the index of its first character.
  const open: number[] = [];
  for (const { 0: token, 1: colon, index } of json.matchAll(STRING_OR_BRACKET)) {
    if (token === '{' || token === '[') open.push(index);
    else if (token === '}' || token === ']') open.pop();
    else if (colon !== undefined) {
      // Parse the name, since escapes can write the same one in several ways.
      const name = JSON.parse(token.slice(0, -colon.length)) as string;
      const nameInObject = `${String(open.at(-1))} ${name}`;
      if (seen.has(nameInObject)) return true;
      seen.add(nameInObject);
    }
  }
  return false;
}
