/** The time that the processor needs for some work, in microseconds: unlike that of a clock, other processes do not add to it. */
export function measureCpu(work: () => unknown): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return user + system;
}
