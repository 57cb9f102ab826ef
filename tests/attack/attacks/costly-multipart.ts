import type { Attack, Figure } from '../attack';
import { startStandIn } from '../target';

const SIZE = 950_000;
const PARTS = 900;
const CONTRACT = `openapi: 3.0.3
info: { title: Forms, version: 1.0.0 }
security: []
paths:
  /forms:
    post:
      operationId: takeForm
      requestBody:
        required: true
        content: { multipart/form-data: { schema: { type: object, properties: { a: { type: string } } } } }
      responses:
        '204': { description: Taken. }
        '400': { description: Not a form. }
        '500': { description: Failed. }
        '503': { description: Try again later. }
`;

// What is as long as a form may be here, and what takes a reader of parts the longest.
const BODIES: Readonly<Record<string, () => string>> = {
  'texts with U+FFFD behind a long one': () =>
    toPart('x'.repeat(SIZE - PARTS * 60)) + repeat(PARTS, () => toPart('x\ufffd')),
  'texts of a charset': () =>
    repeat(PARTS, () => toPart('x'.repeat(900), '\r\nContent-Type: text/plain; charset=gb18030')),
  'headers of parts': () => repeat(55, () => toPart('', '\r\na:'.repeat(4_000))),
  'what is nearly a boundary': () => toPart('\r\n--'.repeat(SIZE / 4)),
};

/** Forms of almost 1 MB, one of each kind. Without a token. */
export const costlyMultipart: Attack = {
  name: 'a multipart/form-data of 1 MB, whatever is in it',
  run: async () => {
    using target = await startStandIn(CONTRACT, []);
    // What runs for the first time is compiled.
    for (let index = 0; index < 50; index++) await send(target.url, toPart('x'));
    const figures: Figure[] = [];
    for (const [what, toBody] of Object.entries(BODIES)) {
      const body = toBody();
      const cpu = target.cpu();
      const status = await send(target.url, body);
      figures.push(
        { what, value: target.cpu() - cpu, atMost: 0.3, unit: 's' },
        { what: 'answered with 5xx', value: status < 500 ? 0 : 1, atMost: 0, unit: 'forms' },
      );
    }
    return figures;
  },
};

function toPart(text: string, headers = ''): string {
  return `--b\r\nContent-Disposition: form-data; name="x"${headers}\r\n\r\n${text}\r\n`;
}

function repeat(count: number, toText: () => string): string {
  return Array.from({ length: count }, toText).join('');
}

async function send(url: string, parts: string): Promise<number> {
  const { status } = await fetch(`${url}/forms`, {
    method: 'POST',
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    body: `${parts}--b--`,
  });
  return status;
}
