/** A shop whose site is watched from outside and by its visitors' browsers. */
import {
  checkMonitor,
  type Monitor,
  type SeenCertificate,
} from "../../lib/monitors/uptime/monitor.ts";
import { createMonitor } from "../../lib/monitors/uptime/monitors.ts";
import { addToSums } from "../../lib/monitors/uptime/sums.ts";
import type { ErrorEvent, TelemetryRecord, Transaction } from "../../lib/records/mod.ts";
import { errorEvent } from "./error_event.ts";
import { transactionRecord } from "./records.ts";
import { shop } from "./shop.ts";

export const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;

/** A load of a page as a visitor's browser tells it. */
export function pageLoad(
  name: string,
  durationMs: number,
  fields: Partial<Transaction> & { vitals?: Readonly<Record<string, number>> } = {},
): Transaction {
  const { vitals = { lcp: durationMs, inp: 90, cls: 0.02 }, ...others } = fields;
  return transactionRecord({
    name,
    durationMs,
    op: "pageload",
    platform: "javascript",
    httpMethod: "",
    httpStatus: null,
    tags: [["url", `https://shop.example${name}`]],
    measurements: Object.entries(vitals).map(([vital, value]) => ({
      name: vital,
      value,
      unit: vital === "cls" ? "" : "millisecond",
    })),
    ...others,
  });
}

/** An error of a page. */
export function pageError(
  group: string,
  fields: Partial<ErrorEvent> = {},
): ErrorEvent {
  return errorEvent({
    group,
    platform: "javascript",
    tags: [["url", "https://shop.example/cart?item=7"]],
    ...fields,
  });
}

/** A certificate with so many days left. */
export function certificate(
  days: number,
  changes: Partial<SeenCertificate> = {},
): SeenCertificate {
  return {
    subject: "CN=shop.example",
    issuer: "CN=Test authority",
    names: ["shop.example"],
    validFrom: new Date(Date.now() - DAY_MS).toISOString(),
    validTo: new Date(Date.now() + days * DAY_MS + HOUR_MS).toISOString(),
    daysLeft: days,
    fingerprint: "AB",
    protocol: "TLSv1.3",
    problem: null,
    ...changes,
  };
}

interface MonitorFields {
  readonly name?: string;
  readonly url?: string;
  readonly state?: Monitor["state"];
  readonly isPaused?: boolean;
  readonly lastError?: string;
  readonly certificate?: SeenCertificate | null;
  /** Seconds up and down in the hour before this one. */
  readonly lastHour?: { readonly up: number; readonly down: number };
  /** How long ago it was checked, or null: never. @default 20 s */
  readonly checkedMsAgo?: number | null;
}

/** The app with a project named Shop that has a site. */
export async function watchedSite() {
  const app = await shop();
  const { projectId } = app;
  const { sql, kv, config, writer } = app.services;
  const json = (value: unknown) => value === null ? null : JSON.stringify(value);
  return {
    ...app,
    base: `/projects/${projectId}/site`,
    send: (...records: TelemetryRecord[]) => writer.commit(projectId, { records, outcomes: [] }),
    /** Makes a monitor that was checked a moment ago. */
    async monitor(fields: MonitorFields = {}): Promise<string> {
      const { name = "Shop", url = "https://shop.example/", state = "up", checkedMsAgo = 20_000 } =
        fields;
      const checked = checkMonitor({
        name,
        isPaused: fields.isPaused ?? false,
        target: { kind: "http", url },
      });
      if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
      const { monitorId } = await createMonitor({ sql, kv, config }, projectId, checked.input, "");
      const now = Date.now();
      const at = checkedMsAgo === null ? null : new Date(now - checkedMsAgo);
      await sql`
        update uptime_monitors set
          state = ${at === null ? "unknown" : state}, since = ${new Date(now - 20 * 60_000)},
          checked_at = ${at}, due_at = ${new Date((at?.getTime() ?? now) + 60_000)},
          last_error = ${fields.lastError ?? ""}, last_ms = 120,
          certificate = ${json(fields.certificate ?? null)}::text::jsonb
        where project_id = ${projectId} and monitor_id = ${monitorId}
      `;
      const { up, down } = fields.lastHour ?? { up: 0, down: 0 };
      const start = Math.floor(now / HOUR_MS) * HOUR_MS - HOUR_MS;
      const upUntil = new Date(start + up * 1_000);
      await addToSums(sql, { projectId, monitorId }, [
        { kind: "up", start: new Date(start), end: upUntil },
        { kind: "down", start: upUntil, end: new Date(upUntil.getTime() + down * 1_000) },
      ], null);
      return monitorId;
    },
  };
}
