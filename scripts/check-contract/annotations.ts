/** The keywords that tell people something and change nothing between client and server. */
export const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'summary', 'description', 'externalDocs', 'tags', 'deprecated', 'example', 'examples', '$comment'],
]);

/** The keywords below which the keys are names that the contract makes up, not keywords. */
export const MAPS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'mapping', 'scopes', 'variables'],
  ...['paths', 'responses', 'content', 'headers', 'encoding', 'callbacks', 'links'],
]);

/** The keywords that hold values of the API, in which nothing is a keyword. */
export const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default']);
