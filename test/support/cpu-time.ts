// How long this process has computed, for bounds that other programs on the machine cannot break.
// It must never stand for a bound on waiting: a process that waits computes nothing.

/** Milliseconds of CPU time, user and system, since the process began. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1_000;
}
