/** Starts telling people by mail. Any number of processes may, one of them does it. */
import { startLeased } from "../accounts/leased_clock.ts";
import type { Config } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { SECOND_MS } from "../core/time.ts";
import type { Repeated } from "../core/waiting.ts";
import type { Sql } from "../store/database.ts";
import { sendDueMails } from "./mail_queue.ts";
import { tellPeople } from "./tell_people.ts";
import { reportWeek } from "./weekly_report.ts";

export interface NotificationOptions {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  readonly config: Pick<Config, "baseUrl" | "smtp">;
  readonly log: Logger;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** Milliseconds between two looks; null: only when `run()` is called. @default 10,000 */
  readonly pollMs?: number | null;
}

const EVERY_MS = 10 * SECOND_MS;
/** Outlasts the slowest mail server. */
const LEASE_MS = 60 * SECOND_MS;

export function startNotifications(options: NotificationOptions): Repeated {
  const { sql, config, log, now = () => new Date(), pollMs = EVERY_MS } = options;
  return startLeased(options, {
    name: "notifications",
    everyMs: pollMs,
    leaseMs: LEASE_MS,
    failure: "cannot tell people of issues",
    async work(stopping) {
      await tellPeople(options, now());
      await reportWeek(options, now());
      if (config.smtp === null) return;
      await sendDueMails({ sql, smtp: config.smtp, log }, now(), stopping);
    },
  });
}
