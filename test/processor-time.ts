/** Milliseconds of processor time that this process spends on something; unlike the clock, other processes do not add to it. */
export async function processorTime(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
