import { Refusal } from '../../src/errors/refusal';
import { notBuilt } from '../../src/pipeline/handler';

test('an operation that nobody has written yet says so, and is refused', () => {
  const attempt = (): never => notBuilt('createPlant');
  expect(attempt).toThrow(Refusal);
  expect(attempt).toThrow(
    expect.objectContaining({ kind: 'NOT_BUILT', message: 'createPlant is not built yet' }) as Error,
  );
});
