// Attacks the compiled service, and prints which defences held.
import { mkdirSync, writeFileSync } from 'node:fs';
import { isHeld, type Attack, type Figure } from './target';
import { connectionAttacks } from './attacks/connections';
import { contractAttacks } from './attacks/contracts';
import { cost } from './attacks/cost';
import { largeBodies } from './attacks/large-bodies';
import { refusedMessages } from './attacks/refused-messages';

// In the order in which they are tried.
const ATTACKS: readonly Attack[] = [
  ...connectionAttacks,
  ...contractAttacks,
  ...cost,
  ...largeBodies,
  ...refusedMessages,
];

const REPORT = 'reports/attack.txt';
const DIGITS = 1;

/**
 * Tries each attack on the compiled service, and prints what held and what fell.
 *
 * @param words of the names of attacks; all of them when there are none
 */
async function main(words: readonly string[]): Promise<void> {
  const chosen = ATTACKS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word)));
  if (chosen.length === 0) throw new Error(`no attack has any of these words in its name: ${words.join(', ')}`);
  const lines: string[] = [];
  for (const attack of chosen) {
    const line = await tryAttack(attack);
    lines.push(line);
    console.log(line);
  }
  mkdirSync('reports', { recursive: true });
  writeFileSync(REPORT, `${lines.join('\n')}\n`);
  const count = (what: string): number => lines.filter((line) => line.startsWith(what)).length;
  console.log(`result: ${String(count('held'))} held, ${String(count('fell'))} fell`);
  if (count('fell') > 0) process.exitCode = 1;
}

async function tryAttack({ name, run }: Attack): Promise<string> {
  try {
    const figures = await run();
    return `${figures.every(isHeld) ? 'held' : 'fell'}  ${name}: ${figures.map(formatFigure).join(', ')}`;
  } catch (error) {
    return `fell  ${name}: ${(error as Error).message}`;
  }
}

function formatFigure({ what, value, atMost, unit }: Figure): string {
  return `${what} ${format(value)} ${unit} (at most ${format(atMost)})`;
}

function format(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(DIGITS);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
