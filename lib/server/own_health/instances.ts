/** Which processes serve on these stores: each notes in Deno KV, every few seconds, that it is there and how it does. */
import { keyOf, prefixOf } from "../../accounts/kv.ts";
import { type Config, VERSION } from "../../core/config.ts";
import { HOUR_MS, SECOND_MS } from "../../core/time.ts";
import { repeat, withTimeLimit } from "../../core/waiting.ts";
import { recentLoad } from "./recent.ts";

const EVERY_MS = 15 * SECOND_MS;
/** The first note, so that a process that was just started is seen. */
const FIRST_MS = SECOND_MS;
/** Who has not been seen for so long is gone, or hangs. */
const GONE_AFTER_MS = 3 * EVERY_MS;
/** One that died is shown for so long; one that was stopped is not. */
const KEPT_MS = HOUR_MS;
/** Nobody waits longer for a KV that is away. */
const LIMIT_MS = 2 * SECOND_MS;

interface InstanceNote {
  readonly id: string;
  /** Of the machine or container; `""` where that may not be asked. */
  readonly host: string;
  readonly port: number;
  readonly version: string;
  readonly isolates: number;
  readonly startedAt: Date;
  readonly seenAt: Date;
  /** Requests of the intake a second that were taken in the last minute; null in the first seconds. */
  readonly requestsASecond: number | null;
  /** Seconds by which 95 % of timers were late at most; null in the first seconds. */
  readonly lagSec: number | null;
}

export interface Instance extends InstanceNote {
  readonly isGone: boolean;
  /** The one that is asked. */
  readonly isThis: boolean;
}

interface HeartbeatOptions {
  readonly kv: Deno.Kv;
  readonly config: Pick<Config, "port" | "isolates">;
  readonly startedAt: Date;
}

/** Notes that this process is there until it is closed, in its first isolate. A KV that is away is passed over. */
export function startHeartbeat({ kv, config, startedAt }: HeartbeatOptions) {
  const id = crypto.randomUUID();
  const key = keyOf.instance(id);
  const host = hostName();
  let isNoted = false;
  const noting = repeat(async () => {
    const load = recentLoad();
    const note: InstanceNote = {
      id,
      host,
      port: config.port,
      version: VERSION,
      isolates: config.isolates,
      startedAt,
      seenAt: new Date(),
      requestsASecond: load && load.stored + load.spooled,
      lagSec: load?.lag?.p95 ?? null,
    };
    isNoted = true;
    await withTimeLimit(kv.set(key, note, { expireIn: KEPT_MS }), LIMIT_MS).catch(() => {});
  }, () => isNoted ? EVERY_MS : FIRST_MS);
  return {
    run: noting.run,
    async close() {
      await noting.close();
      if (isNoted) await withTimeLimit(kv.delete(key), LIMIT_MS).catch(() => {});
    },
  };
}

function hostName(): string {
  try {
    return Deno.hostname();
  } catch {
    return "";
  }
}

/** All that were seen in the last hour, those that are there first. @throws {TimeLimitExceeded} while KV is away */
export async function listInstances(
  { kv, config: { port } }: { readonly kv: Deno.Kv; readonly config: Pick<Config, "port"> },
  now: Date = new Date(),
): Promise<Instance[]> {
  const entries = kv.list<InstanceNote>({ prefix: prefixOf.instances() });
  const notes = await withTimeLimit(Array.fromAsync(entries, ({ value }) => value), LIMIT_MS);
  return notes
    .map((note) => {
      const isGone = now.getTime() - note.seenAt.getTime() > GONE_AFTER_MS;
      const isThis = !isGone && note.host === hostName() && note.port === port;
      return { ...note, isGone, isThis };
    })
    .sort((a, b) =>
      Number(a.isGone) - Number(b.isGone) || a.startedAt.getTime() - b.startedAt.getTime()
    );
}
