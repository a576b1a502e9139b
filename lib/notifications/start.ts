/** Starts telling people by mail. Any number of processes may, one of them does it. */
import { leaseOf } from "../accounts/kv.ts";
import type { Config } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { SECOND_MS } from "../core/time.ts";
import { repeat, type Repeated } from "../core/waiting.ts";
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

/** The lease that makes one process do the work. */
const WORK = "notifications";
const EVERY_MS = 10 * SECOND_MS;
/** Outlasts the slowest mail server. */
const LEASE_MS = 60 * SECOND_MS;

export function startNotifications(options: NotificationOptions): Repeated {
  const { kv, sql, config, log, now = () => new Date(), pollMs = EVERY_MS } = options;
  const lease = leaseOf(kv, WORK, LEASE_MS);
  let isFailing = false;
  const repeated = repeat(async (stopping) => {
    try {
      if (!await lease.take()) return;
      await tellPeople(options, now());
      await reportWeek(options, now());
      if (config.smtp !== null) {
        await sendDueMails({ sql, smtp: config.smtp, log }, now(), stopping);
      }
      isFailing = false;
    } catch (error) {
      // A store is away, for instance: a later look makes up for it. Once: it is tried again soon.
      if (!stopping.aborted && !isFailing) log.error("cannot tell people of issues", { error });
      isFailing = true;
    }
  }, () => pollMs);
  return {
    run: repeated.run,
    async close() {
      await repeated.close();
      await lease.giveBack();
    },
  };
}
