import { parse } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** Tunes this process permanently. Call it before the service listens. */
export async function tuneProcess(): Promise<void> {
  keepRequestsYoung();
  await stopLookingForCallers();
}

// With many requests in flight, most of their objects survive a minor garbage collection. V8 then allocates such objects in the
// old generation, where each keeps the whole request that it refers to until a full collection.
function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

// EOV calls `url.parse` for each request. Node then searches the stack for the caller, which takes longer than the rest of EOV. It
// stops searching after warning about a caller outside node_modules (DEP0169), so this is such a call, with the warning suppressed.
function stopLookingForCallers(): Promise<void> {
  const { noDeprecation = false } = process;
  setImmediate(() => {
    process.noDeprecation = true;
  });
  // oxlint-disable-next-line typescript/no-deprecated -- nothing is parsed
  setImmediate(parse, '', false);
  return new Promise((resolve) => {
    setImmediate(() => {
      process.noDeprecation = noDeprecation;
      resolve();
    });
  });
}
