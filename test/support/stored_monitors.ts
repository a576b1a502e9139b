/** Uptime monitors as the service stores them, for tests of what shows them. */
import { checkMonitor, type MonitorInput } from "../../lib/monitors/uptime/monitor.ts";
import { createMonitor } from "../../lib/monitors/uptime/monitors.ts";
import { saveCheck } from "../../lib/monitors/uptime/save_check.ts";
import type { ProbeResult } from "../../lib/monitors/probes/probe.ts";
import type { Backend } from "../../lib/store/stores.ts";
import { findMonitor } from "../../lib/monitors/uptime/monitors.ts";
import { DOWN, probeResult } from "./uptime_world.ts";

type Stores = Pick<Backend, "sql" | "kv" | "config">;
type Fields = Partial<Omit<MonitorInput, "target">> & { readonly target?: object };

/** A checked input: the front page of a shop, every minute, down after one failure. No registry is asked about its domain. */
export function monitorInput({ target, ...fields }: Fields = {}): MonitorInput {
  const checked = checkMonitor({
    name: "Front page",
    failureThreshold: 1,
    recoveryThreshold: 1,
    certificateDays: [],
    target: { kind: "http", url: "https://shop.example.com/", ...target },
    ...fields,
  });
  if (!checked.ok) throw new Error(JSON.stringify(checked.problems));
  return checked.input;
}

/**
 * Stores a monitor that nobody checks, with a check each minute up to now.
 *
 * @param results of the checks, the earliest first
 * @returns its id, and that of its newest incident or `""`
 */
export async function storedMonitor(
  stores: Stores,
  projectId: string,
  fields: Fields = {},
  results: readonly Partial<ProbeResult>[] = [DOWN],
): Promise<{ monitorId: string; incidentId: string }> {
  const { sql } = stores;
  const begin = Date.now() - results.length * 60_000;
  const holder = crypto.randomUUID();
  const { monitorId } = await createMonitor(
    stores,
    projectId,
    monitorInput(fields),
    "",
    new Date(begin),
  );
  for (const [place, result] of results.entries()) {
    const at = new Date(begin + place * 60_000);
    // Claimed, so that the service leaves it alone meanwhile.
    await sql`
      update uptime_monitors
      set claimed_by = ${holder}, claimed_until = now() + interval '60 s', due_at = ${at}
      where monitor_id = ${monitorId}
    `;
    const monitor = await findMonitor(sql, projectId, monitorId);
    if (monitor === null) throw new Error("The monitor is gone");
    await saveCheck(sql, {
      monitor,
      holder,
      dueAt: at,
      endedAt: at,
      result: probeResult({ at, ...result }),
      traceId: crypto.randomUUID().replaceAll("-", ""),
      isCutOff: false,
      hide: (text) => text,
    }, { projectName: "Shop", baseUrl: "https://watch.test", language: "en" });
  }
  // As late as can be: farther ahead it passes for the work of a clock that was wrong, and is claimed at once.
  await sql`
    update uptime_monitors
    set due_at = now() + interval_sec * interval '1 s' + interval '110 s'
    where monitor_id = ${monitorId}
  `;
  const [incident] = await sql<{ id: string }[]>`
    select incident_id::text as id from uptime_incidents
    where monitor_id = ${monitorId} order by opened_at desc limit 1
  `;
  return { monitorId, incidentId: incident?.id ?? "" };
}

/** Stores that a registry has told when a domain ends: in so many days. @returns when */
export async function storedDomain(
  { sql }: Pick<Backend, "sql">,
  projectId: string,
  domain: string,
  days: number,
): Promise<Date> {
  const endsAt = new Date(Date.now() + days * 86_400_000 + 3_600_000);
  await sql`
    insert into uptime_domains (project_id, domain, due_at, ends_at)
    values (${projectId}, ${domain}, now() + interval '1 day', ${endsAt})
  `;
  return endsAt;
}
