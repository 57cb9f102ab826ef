import request from 'supertest';
import { startTestService } from '../start-service';

test.each([
  ['every digit of an id beyond 2^53 counts', '{"id":9007199254740993,"name":"Rose","tag":"flower"}', 200],
  ['an id beyond int64 is refused', '{"id":9223372036854775808,"name":"Rose"}', 400],
  ['a plant may have no tag, and what is not declared is left out', '{"id":1.0,"name":"","height":3}', 200],
])('POST /plants: %s', async (_, body, status) => {
  await using service = await startTestService();
  const reply = await request(service.base.origin)
    .post(`${service.base.pathname.replace(/\/$/, '')}/plants`)
    .set({ Authorization: 'Bearer a-secret-for-the-tests-1', 'Content-Type': 'application/json' })
    .send(body);
  const { name, tag } = JSON.parse(body) as { name: string; tag?: string };
  const message = 'request/body/id must be an integer from -9223372036854775808 to 9223372036854775807';
  expect(reply.body).toEqual(status === 200 ? { name, ...(tag !== undefined && { tag }) } : { error: 40009, message });
  expect(reply.status).toBe(status);
});
