// Draws docs/session.svg, the terminal in README.md, from what the compiled service really replies.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { startProcess } from '../../tests/support/start-process';

const WIDTH = 112;
const LINE = 18;
const INT64 = '9223372036854775807';

/**
 * Draws a terminal in which the compiled service was started and asked three times. All is its real output, without the
 * log; the token, the port, the request id and the date are always the same ones.
 *
 * @returns an SVG
 */
export async function drawSession(): Promise<string> {
  using service = startProcess({ NODE_V8_COVERAGE: '' });
  const [curl] = await service.waitFor(/^curl .*$/m);
  const [token = ''] = /(?<=Bearer )[^']+/.exec(curl) ?? [];
  const commands = [
    curl,
    curl.replace('-i ', '').replace('"id":1', `"id":${String(BigInt(INT64) + 1n)}`),
    curl.replace('-i ', '').replace(token, 'guessed'),
  ];
  const lines = ['$ npm start', ...service.output.stderr.split('\n')];
  for (const command of commands) {
    lines.push(`$ ${command}`, ...(await paste(command)).split(/\r?\n/), '');
  }
  const text = lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .replaceAll(token, 'Vx7…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:3000')
    .replace(/Date: .*/, 'Date: Sat, 21 Nov 2026 12:00:00 GMT')
    .replace(/X-Request-Id: .*/, 'X-Request-Id: 8c0f9f5e-6c0b-4d3e-9a55-0d8a5e1f7a11');
  return toSvg(text.trimEnd().split('\n').flatMap(wrap));
}

/** What a shell prints for a line, which is run again while the service is overloaded: the machine may be busy. */
async function paste(line: string): Promise<string> {
  const reply = execFileSync('sh', ['-c', line], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  if (!/^HTTP\/1\.1 503 |"error":50300/.test(reply)) return reply;
  await setTimeout(1_000);
  return paste(line);
}

/** Breaks a line where a terminal would. */
function wrap(line: string): string[] {
  return line.match(new RegExp(`.{1,${String(WIDTH)}}`, 'gu')) ?? [''];
}

function toSvg(lines: readonly string[]): string {
  const rows = lines.map((line, index) => {
    const colour = line.startsWith('$ ') ? ' fill="#7ee787"' : '';
    return `<text x="16" y="${String(LINE * (index + 1) + 10)}"${colour}>${escape(line)}</text>\n`;
  });
  const height = String(LINE * (lines.length + 1) + 6);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="960" height="${height}" viewBox="0 0 960 ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="13.5" fill="#e6edf3" xml:space="preserve">
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
${rows.join('')}</svg>
`;
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}

if (require.main === module) {
  drawSession().then(
    (svg) => {
      writeFileSync('docs/session.svg', svg);
    },
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
    },
  );
}
