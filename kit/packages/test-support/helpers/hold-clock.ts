const PARTS: readonly FakeableAPI[] = [
  ...(['Date', 'hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
  ...(['requestAnimationFrame', 'cancelAnimationFrame', 'requestIdleCallback', 'cancelIdleCallback'] as const),
];

/** Parts of the clock, on which time passes when the test says so. */
export interface HeldClock extends Disposable {
  readonly pass: (milliseconds: number) => void;
  /** How many timers wait for their time. */
  readonly countTimers: () => number;
}

/** Holds parts of the clock for what uses them. Sockets, files and the timers of Node itself go on. */
export function holdClock(...parts: readonly FakeableAPI[]): HeldClock {
  jest.useFakeTimers({ doNotFake: PARTS.filter((part) => !parts.includes(part)) });
  return {
    pass: (milliseconds) => {
      jest.advanceTimersByTime(milliseconds);
    },
    countTimers: () => jest.getTimerCount(),
    [Symbol.dispose]: () => jest.useRealTimers(),
  };
}
