/** Checks what is due. Any number of isolates may do it at once: each due time is checked by one of them. */
import { KV_LIMIT_MS } from "../../accounts/kv.ts";
import { findProject, settingsOf } from "../../accounts/projects.ts";
import { randomHex } from "../../accounts/secrets.ts";
import type { Config } from "../../core/config.ts";
import type { Logger } from "../../core/log.ts";
import { HOUR_MS, SECOND_MS } from "../../core/time.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import type { MetricBatch } from "../../records/mod.ts";
import type { Sql } from "../../store/database.ts";
import type { ProbeResult } from "../probes/probe.ts";
import type { DomainOptions } from "../probes/rdap.ts";
import type { Prober } from "../probes/prober.ts";
import { notMade } from "../probes/result.ts";
import { claimMonitors, releaseMonitor } from "./claim.ts";
import { type DomainWatch, startDomainWatch } from "./domains.ts";
import { wouldOpen } from "./judge.ts";
import type { Monitor } from "./monitor.ts";
import { askNeighbours, isCutOff, isNetworkProblem, type Reference } from "./network.ts";
import type { NoticePlace } from "./notices.ts";
import { pointsOf } from "./points.ts";
import { saveCheck } from "./save_check.ts";
import { hidingOf, joinSecrets, openSecrets } from "./secrets.ts";
import { nextSlot, patienceMs } from "./slots.ts";
import { windowAt } from "./windows.ts";

export interface UptimeOptions {
  readonly sql: Sql;
  readonly kv: Deno.Kv;
  readonly log: Logger;
  readonly config: Pick<Config, "baseUrl" | "secretKey">;
  readonly prober: Pick<Prober, "probe">;
  /** Stores the points of a check. What it throws is told in the log, and costs nothing but the points. */
  readonly store: (projectId: string, records: readonly MetricBatch[]) => Promise<void>;
  /** What is asked whether there is a network at all, or null. */
  readonly reference: Reference | null;
  /** How registries are asked when domains end; null: they are not. */
  readonly registries: DomainOptions | null;
  /** @default the system's clock */
  readonly now?: () => Date;
  /** How often is looked for what is due, in milliseconds; null: only when `run()` is called. @default 1_000 */
  readonly pollMs?: number | null;
}

export interface Uptime {
  /** Checks what is due, and resolves when all of it is stored. Never throws. */
  run(): Promise<void>;
  /** Begins nothing new, and ends what is under way. */
  close(): Promise<void>;
}

const POLL_MS = 1_000;
/** While the database is away. */
const LONG_POLL_MS = 15_000;
/** Checks that run at the same time. */
const MAX_AT_ONCE = 50;

/** Starts checking. */
export function startUptime(options: UptimeOptions): Uptime {
  const { sql, log, now = () => new Date(), pollMs = POLL_MS } = options;
  const holder = crypto.randomUUID();
  const stopping = new AbortController();
  const { signal } = stopping;
  const domains = startDomainWatch({ ...options, now, signal });
  const work: Work = { ...options, now, holder, signal, domains, places: new Map() };
  const underWay = new Set<Promise<void>>();
  let isAway = false;
  let claiming = Promise.resolve(0);

  function claim(): Promise<number> {
    return claiming = claiming.then(claimNow);
  }

  /** @returns how many checks were begun */
  async function claimNow(): Promise<number> {
    const limit = MAX_AT_ONCE - underWay.size;
    if (limit <= 0 || stopping.signal.aborted) return 0;
    try {
      const monitors = await claimMonitors(sql, { holder, now: now(), limit });
      isAway = false;
      for (const monitor of monitors) {
        const check = checkOne(work, monitor).finally(() => underWay.delete(check));
        underWay.add(check);
      }
      return monitors.length;
    } catch (error) {
      if (!isAway && !stopping.signal.aborted) log.error("cannot look for due monitors", { error });
      isAway = true;
      return 0;
    }
  }

  let timer: ReturnType<typeof setTimeout> | undefined;
  function pollAgain(): void {
    if (pollMs === null || stopping.signal.aborted) return;
    timer = setTimeout(() => claim().then(pollAgain), isAway ? LONG_POLL_MS : pollMs);
    // A process may end while nothing waits but this.
    Deno.unrefTimer(timer);
  }
  pollAgain();

  return {
    async run() {
      while (await claim() > 0 || underWay.size > 0) {
        if (underWay.size > 0) await Promise.race(underWay);
      }
      await domains.settled();
    },
    async close() {
      clearTimeout(timer);
      stopping.abort();
      await claiming;
      await Promise.all(underWay);
      await domains.settled();
    },
  };
}

interface Work extends UptimeOptions {
  readonly now: () => Date;
  readonly holder: string;
  readonly signal: AbortSignal;
  readonly domains: DomainWatch;
  readonly places: Map<string, { readonly place: NoticePlace | null; readonly readAt: number }>;
}

/** Makes one check and stores it. Never throws. */
async function checkOne(work: Work, monitor: Monitor): Promise<void> {
  const { sql, holder, log } = work;
  const { projectId: project, monitorId } = monitor;
  try {
    const place = await placeOf(work, project);
    if (place === null) {
      // Deleted: it may be restored, and is looked at again then.
      return await releaseMonitor(sql, monitor, holder, new Date(work.now().getTime() + HOUR_MS));
    }
    if (!await makeCheck(work, monitor, place)) await releaseMonitor(sql, monitor, holder);
  } catch (error) {
    // The claim ends by itself, and it is tried again then.
    log.error("cannot check a monitor", { project, monitor: monitorId, error });
  }
}

/** @returns false when nothing was stored */
async function makeCheck(work: Work, monitor: Monitor, place: NoticePlace): Promise<boolean> {
  const { sql, kv, config, prober, signal, now, log } = work;
  const dueAt = dueTimeOf(monitor, now());
  const secrets = await openSecrets({ kv, config }, monitor);
  const target = joinSecrets(monitor.target, secrets ?? {});
  const traceId = randomHex(16);
  const traceparent = `00-${traceId}-${randomHex(8)}-01`;
  const result = secrets === null
    ? unreadable(now())
    : await prober.probe(target, { traceparent, signal });
  if (result.problem?.kind === "stopped") return false;
  const endedAt = now();
  const isMaintenance = windowAt(monitor.windows, result.at) !== null;
  if (isNetworkProblem(result) && monitor.failures === 0 && work.reference === null) {
    await askNeighbours(sql, monitor.host, endedAt);
  }
  const opens = wouldOpen(
    monitor,
    { status: result.state, at: result.at, endedAt },
    isMaintenance,
  ) && isNetworkProblem(result);
  const wasCutOff = monitor.isCutOff;
  const since = wasCutOff ? monitor.since : monitor.turningSince ?? result.at;
  const cutOff = opens &&
    await isCutOff(
      sql,
      { host: monitor.host, since, now: endedAt, wasCutOff },
      work.reference,
      prober,
      signal,
    );
  const made = {
    monitor,
    holder: work.holder,
    dueAt,
    endedAt,
    result,
    traceId,
    isCutOff: cutOff,
    hide: hidingOf(target),
  };
  if (!await saveCheck(sql, made, place)) return false;
  if (!cutOff) work.domains.look(monitor, place);
  try {
    if (!cutOff) await work.store(monitor.projectId, [pointsOf(monitor, dueAt, result)]);
  } catch (error) {
    log.warn("cannot store the points of a check", { monitor: monitor.monitorId, error });
  }
  return true;
}

/** The due time that a check is stored under: its own, or the latest one where others were missed. */
function dueTimeOf(monitor: Monitor, now: Date): Date {
  const { dueAt, intervalSec } = monitor;
  const lateMs = now.getTime() - dueAt.getTime();
  if (lateMs >= 0 && lateMs <= patienceMs(intervalSec)) return dueAt;
  return new Date(nextSlot(monitor, now).getTime() - intervalSec * SECOND_MS);
}

/** In place of a check whose headers cannot be known. */
function unreadable(at: Date): ProbeResult {
  return notMade({
    kind: "unsupported",
    sentence:
      "The monitor's secrets cannot be read: SERVICE_SECRET_KEY has changed. Enter them again.",
  }, at);
}

/** Names of projects are read again after so long. */
const PLACE_MS = 60_000;
const MAX_PLACES = 1_000;

/** Null for a project that was deleted. */
async function placeOf(
  { kv, config, places }: Work,
  projectId: string,
): Promise<NoticePlace | null> {
  const known = places.get(projectId);
  if (known !== undefined && performance.now() - known.readAt < PLACE_MS) return known.place;
  const project = await withTimeLimit(findProject(kv, projectId), KV_LIMIT_MS);
  const place = project && {
    projectName: project.name,
    baseUrl: config.baseUrl,
    language: settingsOf(project).language,
  };
  if (places.size >= MAX_PLACES) places.clear();
  places.set(projectId, { place, readAt: performance.now() });
  return place;
}
