/** What the kernel says of running processes (Linux). */
import type { Sql } from "@/lib/store/database.ts";

const TICKS_PER_SEC = 100;

/** Fields of `/proc/<pid>/stat` from the third on: the second is the command in brackets and may hold blanks. */
function statOf(pid: number | string): string[] {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/** CPU seconds that the process has used so far, user and system. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SEC;
}

/** CPU seconds of a process and of all that it has started, those that have ended included. */
export function treeCpuSeconds(pid: number): number {
  const children = new Map<number, number[]>();
  const ticks = new Map<number, number>();
  for (const { name } of Deno.readDirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const fields = statOf(name);
      const parent = Number(fields[1]);
      children.set(parent, [...children.get(parent) ?? [], Number(name)]);
      ticks.set(
        Number(name),
        [11, 12, 13, 14].reduce((sum, place) => sum + Number(fields[place]), 0),
      );
    } catch {
      // Ended since the list was read.
    }
  }
  const sum = (each: number): number =>
    (children.get(each) ?? []).reduce((all, child) => all + sum(child), ticks.get(each) ?? 0);
  return sum(pid) / TICKS_PER_SEC;
}

/** The process that all of Postgres belongs to, when it runs on this machine. */
export async function postmasterOf(sql: Sql): Promise<number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  return Number(statOf(row?.pid ?? 0)[1]);
}

/** The most memory that the process has held at once, in MiB. */
export function peakRssMiB(pid: number): number {
  const line = /VmHWM:\s+(\d+) kB/.exec(Deno.readTextFileSync(`/proc/${pid}/status`));
  return Number(line?.[1] ?? 0) / 1024;
}
