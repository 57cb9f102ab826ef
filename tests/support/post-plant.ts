import type { Server } from 'node:http';
import request, { type Test } from 'supertest';
import { TOKEN } from './start-app';

/** POST /plants with valid credentials and the body as it stands, so that numbers and escapes arrive as written. */
export function postPlant(server: Server, body: string | Buffer, headers: Record<string, string> = {}): Test {
  return request(server)
    .post('/plants')
    .set({ Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json', ...headers })
    .serialize((sent: unknown) => sent as string)
    .send(body);
}
