/** Makes a backup now and then, when the settings name a place. */
import { lastBackup } from "../../accounts/last_backup.ts";
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { MINUTE_MS } from "../../core/time.ts";
import { repeat, type Repeated } from "../../core/waiting.ts";

const LOOK_EVERY_MS = 5 * MINUTE_MS;
const HOUR_MS = 60 * MINUTE_MS;
const ROOT = new URL("../../../", import.meta.url);

interface ClockOptions {
  readonly kv: Deno.Kv;
  readonly config: Config;
  readonly log: Logger;
  /** Makes one. @default the command, in a process of its own @returns why it has failed; null: it has not */
  readonly make?: (stopping: AbortSignal) => Promise<string | null>;
}

/** Any number of processes may run it: the backup itself has a lease, and who comes too late fails without harm. */
export function startBackups({ kv, config, log, make = runCommand }: ClockOptions): Repeated {
  const { to, everyHours } = config.backup;
  let triedAt = -Infinity;

  async function work(stopping: AbortSignal): Promise<void> {
    try {
      const last = await lastBackup(kv);
      const dueMs = last?.to === to ? last.startedAt.getTime() + everyHours * HOUR_MS : 0;
      // One that fails is tried again, and not all the time.
      if (Date.now() < dueMs || performance.now() - triedAt < HOUR_MS) return;
      triedAt = performance.now();
      const failure = await make(stopping);
      if (failure !== null && !stopping.aborted) log.error("cannot make a backup", { failure });
    } catch (error) {
      log.error("cannot make a backup", { error });
    }
  }

  // Where nothing may be started, whoever looks after the stores copies them.
  const isOff = to === null || config.platform !== null;
  return repeat(isOff ? () => Promise.resolve() : work, () => isOff ? null : LOOK_EVERY_MS);
}

/** Apart, as the memory that it takes would stay with the service. */
async function runCommand(stopping: AbortSignal): Promise<string | null> {
  const { success, stderr } = await new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "backup.ts"],
    cwd: ROOT,
    stdin: "null",
    stdout: "null",
    stderr: "piped",
    signal: stopping,
  }).output();
  return success ? null : new TextDecoder().decode(stderr).trim().split("\n").at(-1) ?? "";
}
