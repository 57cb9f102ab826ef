// What makes the process of a service fast, whatever it serves.
import { parse } from 'node:url';
import { setFlagsFromString } from 'node:v8';

/** Tunes this process, for good. Call it before the service listens. */
export async function tuneProcess(): Promise<void> {
  keepRequestsYoung();
  await stopLookingForCallers();
}

// With many requests in flight, most of their objects outlive a small garbage collection. V8 concludes that such objects live long,
// and allocates later ones among the old. Each of them keeps all that it refers to, a whole request, until the next full collection.
function keepRequestsYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

// EOV calls `url.parse` for each request. Node looks on the stack for the caller each time, until it has warned of one that is not
// in node_modules (DEP0169), which takes longer than EOV's other steps. This is such a call, by Node itself, and is not told.
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
