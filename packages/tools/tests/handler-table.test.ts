import { addToTable } from '../src/generate/handler-table';

const NEW = { findBook: './find-book', lendBook: './lend-book' };

test('a table gets the lines of new handlers, and what a person wrote stays', () => {
  const text = `import type { Handlers } from '../../generated/handlers';
import { listBooks } from './list-books'; // Ours.

const defaults = { limit: 20 };
export const handlers: Handlers = {
  listBooks, // By title.
};
`;
  expect(addToTable(text, NEW)).toBe(`import type { Handlers } from '../../generated/handlers';
import { listBooks } from './list-books'; // Ours.
import { findBook } from './find-book';
import { lendBook } from './lend-book';

const defaults = { limit: 20 };
export const handlers: Handlers = {
  listBooks, // By title.
  findBook,
  lendBook,
};
`);
});

test.each([
  [
    'what a function returns, without a comma at its end',
    `import "a";\nfunction f(store: Store): Handlers {\n    const a = { b: [] };\n    return {\n        a: g(store) // Last.\n    };\n}`,
    `import "a";\nimport { findBook } from "./find-book";\nimport { lendBook } from "./lend-book";\nfunction f(store: Store): Handlers {\n    const a = { b: [] };\n    return {\n        a: g(store), // Last.\n        findBook,\n        lendBook,\n    };\n}`,
  ],
  [
    'one line, and lines that end with CR LF',
    `import 'a';\r\nconst f = (): Handlers => ({ a });\r\n`,
    `import 'a';\r\nimport { findBook } from './find-book';\r\nimport { lendBook } from './lend-book';\r\nconst f = (): Handlers => ({ a, findBook, lendBook });\r\n`,
  ],
  [
    'an empty one without imports',
    `export const handlers = {} satisfies Handlers;\n`,
    `import { findBook } from './find-book';\nimport { lendBook } from './lend-book';\nexport const handlers = { findBook, lendBook } satisfies Handlers;\n`,
  ],
])('a table: %s', (_title, text, longer) => {
  expect(addToTable(text, NEW)).toBe(longer);
});

test('a text without an object of the type Handlers has no table', () => {
  expect(addToTable('export const handlers = createAll({ listBooks });', NEW)).toBeUndefined();
});
