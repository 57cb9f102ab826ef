import { isLoopback } from '../../src/auth/loopback';

test('what only this machine can reach', () => {
  expect(['localhost', '127.0.0.1', '127.255.255.255', '::1', '[::1]'].map(isLoopback)).not.toContain(false);
  expect(['localhost.example', '128.0.0.1', '0.0.0.0', '::', '[::2]', '', '[localhost'].map(isLoopback)).not.toContain(
    true,
  );
});
