/** A project whose cron jobs check in at times that a test chooses. */
import { takeLease } from "../../lib/accounts/kv.ts";
import { tick } from "../../lib/monitors/cron/tick.ts";
import { tellNotes } from "../../lib/monitors/cron/notes.ts";
import type { CheckIn } from "../../lib/records/mod.ts";
import { monitorEvents } from "../../lib/server/monitor_events.ts";
import type { Services } from "../../lib/server/services.ts";
import { makeWorld } from "./ingest_world.ts";
import { checkInRecord } from "./records.ts";
import { testServices } from "./services.ts";

const MINUTE_MS = 60_000;
export const EVERY_TEN_MINUTES = {
  schedule: { type: "interval", value: 10, unit: "minute" },
  checkin_margin: 2,
  max_runtime: 5,
};

export interface CronWorld extends AsyncDisposable {
  readonly services: Services;
  readonly projectId: string;
  /** A time in minutes after a whole hour, at least four and at most five hours ago. */
  at(minute: number): Date;
  /** Sends a check-in of the job `backup` at a minute. @returns whether it was news */
  send(minute: number, status: CheckIn["status"], fields?: Partial<CheckIn>): Promise<boolean>;
  /** Looks for missed runs at a minute. */
  look(minute: number, waitingSince?: Date | null): Promise<void>;
  /** Looks every half minute, both ends included. */
  lookAll(first: number, last: number): Promise<void>;
  /** Tells issues what is noted. */
  tell(): Promise<void>;
  /** Statuses of the runs in their order. */
  runs(): Promise<string[]>;
}

export async function cronWorld(): Promise<CronWorld> {
  const { services, [Symbol.asyncDispose]: dispose } = await testServices();
  const { project } = await makeWorld(services.kv);
  const { kv, sql, writer } = services;
  // The clock of the services looks at the time of the day: here tests say what time it is.
  await takeLease(kv, "monitors", "test", 24 * 60 * MINUTE_MS);
  const hour = 60 * MINUTE_MS;
  const beginning = (Math.floor(Date.now() / hour) - 4) * hour;
  const at = (minute: number) => new Date(beginning + minute * MINUTE_MS);
  const signal = new AbortController().signal;
  const look: CronWorld["look"] = (minute, waitingSince = null) =>
    tick(sql, at(minute), () => Promise.resolve(waitingSince), signal);
  return {
    services,
    projectId: project.id,
    at,
    async send(minute, status, fields = {}) {
      const record = checkInRecord({
        checkInId: null,
        monitorSlug: "backup",
        monitorConfig: JSON.stringify(EVERY_TEN_MINUTES),
        status,
        durationSec: null,
        timestamp: at(minute),
        receivedAt: at(minute),
        release: "",
        ...fields,
      });
      const result = await writer.commit(project.id, { records: [record], outcomes: [] });
      return result.stored === 1;
    },
    look,
    async lookAll(first, last) {
      for (let minute = first; minute <= last; minute += 0.5) await look(minute);
    },
    tell: () => tellNotes(sql, monitorEvents(services), new Date(), signal),
    async runs() {
      const rows = await sql<{ status: string }[]>`
        select status from check_ins where project_id = ${project.id}
        order by started_at, received_at
      `;
      return rows.map(({ status }) => status);
    },
    [Symbol.asyncDispose]: dispose,
  };
}
