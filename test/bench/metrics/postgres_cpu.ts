import type { Sql } from "@/lib/store/database.ts";

const TICKS_PER_SEC = 100;

/** What the kernel says of a process (Linux), from its state on. */
function statOf(pid: string): string[] {
  const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

/**
 * CPU seconds that a Postgres server on this machine has used so far, with all its processes.
 *
 * @returns asks anew
 */
export async function postgresCpuSeconds(sql: Sql): Promise<() => number> {
  const [row] = await sql<{ pid: number }[]>`select pg_backend_pid() as pid`;
  const server = statOf(String(row?.pid))[1] ?? "";
  return () => {
    const ticks = (fields: readonly string[], places: readonly number[]) =>
      places.reduce((sum, place) => sum + Number(fields[place]), 0);
    // Of processes that have ended the server itself keeps the sum.
    let sum = ticks(statOf(server), [11, 12, 13, 14]);
    for (const { name } of Deno.readDirSync("/proc")) {
      if (!/^\d+$/.test(name)) continue;
      try {
        const fields = statOf(name);
        if (fields[1] === server) sum += ticks(fields, [11, 12]);
      } catch {
        // It has ended meanwhile.
      }
    }
    return sum / TICKS_PER_SEC;
  };
}
