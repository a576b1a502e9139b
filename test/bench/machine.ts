import { cpus, totalmem } from "node:os";
import postgres from "postgres";

const BYTES_A_GIB = 1024 ** 3;

/** What the figures were measured on, in one line. */
export async function machineOf(databaseUrl: string): Promise<string> {
  const sql = postgres(databaseUrl, { max: 1 });
  const [row] = await sql<
    { version: string }[]
  >`select current_setting('server_version') as version`;
  await sql.end();
  const [first] = cpus();
  return [
    `commit ${await commit()}`,
    `${navigator.hardwareConcurrency} cores (${first?.model.trim() || "unknown"})`,
    `${Math.round(totalmem() / BYTES_A_GIB)} GiB`,
    `Postgres ${row?.version.split(" ")[0] ?? "?"}`,
    `Deno ${Deno.version.deno}`,
    `load ${Deno.loadavg()[0]?.toFixed(1) ?? "?"}`,
    new Date().toISOString().slice(0, 10),
  ].join(", ");
}

async function commit(): Promise<string> {
  try {
    const { stdout, success } = await new Deno.Command("git", {
      args: ["rev-parse", "--short", "HEAD"],
      cwd: import.meta.dirname ?? ".",
    }).output();
    return success ? new TextDecoder().decode(stdout).trim() : "unknown";
  } catch {
    return "unknown";
  }
}
