import { Refusal } from '../../src/contract/errors';
import { notBuilt } from '../../src/contract/not-built';

test('an operation that nobody has written yet says so, with an error of the catalogue', () => {
  const attempt = (): never => notBuilt('createPlant', 'SERVICE_UNAVAILABLE');
  expect(attempt).toThrow(Refusal);
  expect(attempt).toThrow(
    expect.objectContaining({ status: 503, number: 50300, message: 'createPlant is not built yet' }) as Error,
  );
});
