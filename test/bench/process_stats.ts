/** What the kernel says of a running process (Linux). */

const TICKS_PER_SEC = 100;

/** CPU seconds that the process has used so far, user and system. */
export function cpuSeconds(pid: number): number {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  // The second field is the command in brackets and may hold blanks.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
}

/** The most memory that the process has held at once, in MiB. */
export function peakRssMiB(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(Deno.readTextFileSync(`/proc/${pid}/status`));
  return Number(line?.[1] ?? 0) / 1024;
}
