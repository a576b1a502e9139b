/** What is known of backups: noted by whoever makes them, for who looks after the instance. */
import { keyOf } from "./kv.ts";

export interface LastBackup {
  readonly startedAt: Date;
  readonly endedAt: Date;
  /** Where it lies: a folder, or `s3://bucket/prefix`. */
  readonly to: string;
  /** Of all that it needs, as it is stored. */
  readonly bytes: number;
  /** Of these, what the backup before it did not have. */
  readonly newBytes: number;
  /** When all of it was read again; null: never. */
  readonly checkedAt: Date | null;
  /** Whether nothing was missing or damaged then. */
  readonly isWhole: boolean;
  /** Why the one after it has failed; null: none has. */
  readonly error: string | null;
}

/** The last backup that came to its end; null: there was none. */
export async function lastBackup(kv: Deno.Kv): Promise<LastBackup | null> {
  return (await kv.get<LastBackup>(keyOf.lastBackup())).value;
}

/** Notes it. */
export async function noteBackup(kv: Deno.Kv, backup: LastBackup): Promise<void> {
  await kv.set(keyOf.lastBackup(), backup);
}
