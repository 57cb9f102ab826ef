import type { Document } from '../../src/contract/document/document';
import { describeMistakes, Mistake, Mistakes, pointerOf } from '../../src/contract/document/mistake';

const shared = {};
const document = { 'a/b~c': [{ d: shared }], e: shared, f: 1 } as unknown as Document;

test('the place of a mistake is a JSON pointer', () => {
  expect(pointerOf(document, new Mistake(document, ''))).toBe('#');
  expect(pointerOf(document, new Mistake(shared, '', 'x/y'))).toBe('#/e/x~1y');
  const [first] = (document as unknown as { 'a/b~c': object[] })['a/b~c'];
  expect(first && pointerOf(document, new Mistake(first, '', 0))).toBe('#/a~1b~0c/0/0');
  expect(pointerOf(document, new Mistake({}, ''))).toBe('#');
});

test('what is no mistake of the contract is not kept for one', () => {
  const mistakes = new Mistakes();
  const broken = new TypeError('a bug');
  const attempt = (): void => {
    mistakes.attempt(() => {
      throw broken;
    });
  };
  expect(attempt).toThrow(broken);
  expect(mistakes.all).toEqual([]);
  expect(mistakes.attempt(() => 1)).toBe(1);
});

test('a document that is known to be broken may break its readers', () => {
  const mistakes = new Mistakes(true);
  const read = (): never => {
    throw new TypeError('it is no object');
  };
  expect(() => {
    mistakes.attempt(read);
  }).not.toThrow();
  expect(mistakes.all).toEqual([]);
});

test('a mistake that is there often is one line', () => {
  const [first] = (document as unknown as { 'a/b~c': object[] })['a/b~c'];
  const mistakes = [new Mistake(document, 'a', 'f'), new Mistake(shared, 'b'), new Mistake(first ?? {}, 'a')];
  expect(describeMistakes('x.yaml', document, mistakes)).toBe('x.yaml#/f a (2 times)\nx.yaml#/e b');
});
