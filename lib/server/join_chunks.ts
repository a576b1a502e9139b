/** Joins payloads of events that committed alone, every few minutes, in one process at a time. */
import { startLeased } from "../accounts/leased_clock.ts";
import type { Logger } from "../core/log.ts";
import { MINUTE_MS } from "../core/time.ts";
import type { Repeated } from "../core/waiting.ts";
import type { Sql } from "../store/database.ts";
import { joinChunks } from "../store/event_chunks/join.ts";

const EVERY_MS = 5 * MINUTE_MS;
const LEASE_MS = 10 * MINUTE_MS;

interface JoinServices {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly log: Logger;
}

export function startJoiningChunks({ kv, sql, log }: JoinServices): Repeated {
  return startLeased({ kv, log }, {
    name: "event chunks",
    everyMs: EVERY_MS,
    leaseMs: LEASE_MS,
    failure: "cannot join payloads of events",
    work: async (stopping) => void await joinChunks(sql, stopping),
  });
}
