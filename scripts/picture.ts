// Draws docs/session.svg, the terminal in README.md, from what the compiled service really replies.
import { writeFileSync } from 'node:fs';
import { drawSession } from '../tests/docs/draw-session';

drawSession().then(
  (svg) => {
    writeFileSync('docs/session.svg', svg);
  },
  (error: unknown) => {
    console.error(error);
    process.exitCode = 1;
  },
);
