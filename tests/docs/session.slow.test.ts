import { readFileSync } from 'node:fs';
import { drawSession } from './draw-session';

test('the picture of the README is what the service replies', async () => {
  expect(readFileSync('docs/session.svg', 'utf8')).toBe(await drawSession());
});
