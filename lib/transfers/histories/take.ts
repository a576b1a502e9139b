/**
 * Takes histories in: what was measured, what went wrong and what alerts became. It belongs to the monitor or alert here
 * that is the same, or is called so. Nothing of it opens, moves or tells anything, and it is no usage.
 */
import {
  type AlertTransition,
  endPastHistory,
  isOfIssues,
  keepPastHistory,
  listRules,
} from "../../alerts/mod.ts";
import { DAY_MS } from "../../core/time.ts";
import { type Raw, readText } from "../../formats/fields.ts";
import {
  keepPastChecks,
  keepPastCronIncidents,
  keepPastHours,
  keepPastIncidents,
  listCronMonitors,
  listMonitors,
} from "../../monitors/mod.ts";
import type { Sql } from "../../store/database.ts";
import { type Counts, sumOf } from "../transfers.ts";
import { ALERT_ENTRY, entryOf, isEnd } from "./alert_lines.ts";
import { CRON_INCIDENT, cronIncidentOf } from "./cron_lines.ts";
import { isIssueId, issueFinder, ownerFinder } from "./owners.ts";
import {
  checkOf,
  hourOf,
  incidentOf,
  UPTIME_CHECK,
  UPTIME_HOUR,
  UPTIME_INCIDENT,
} from "./uptime_lines.ts";

/** Where lines are taken in. */
export interface HistoryScene {
  readonly projectId: string;
  readonly transferId: string;
  /** Nothing of them is later. */
  readonly now: Date;
  /** For so many days anything is kept, and of the project what its monitors measured. */
  readonly days: number;
  readonly checkDays: number;
}

/** Of these no more is kept, see `store/retention.ts` and `store/partitions.ts`. */
const RESULT_DAYS = 30;
const ALERT_DAYS = 90;

function daysBefore({ now }: HistoryScene, ...days: readonly number[]): Date {
  return new Date(now.getTime() - Math.min(...days) * DAY_MS);
}

type Take = (sql: Sql, scene: HistoryScene, raws: readonly Raw[]) => Promise<Counts>;

/** By the `type` of lines. Results name incidents, which come before them. */
const TAKES: Readonly<Record<string, Take>> = {
  [UPTIME_INCIDENT]: ofMonitors({
    name: "incidents",
    read: incidentOf,
    timeOf: ({ lastSeen }) => lastSeen,
    daysOf: ({ checkDays }) => [checkDays],
    keep: keepPastIncidents,
  }),
  [UPTIME_CHECK]: ofMonitors({
    name: "uptime_checks",
    read: checkOf,
    timeOf: ({ dueAt }) => dueAt,
    daysOf: ({ checkDays }) => [checkDays, RESULT_DAYS],
    keep: keepPastChecks,
  }),
  [UPTIME_HOUR]: ofMonitors({
    name: "uptime_hours",
    read: hourOf,
    timeOf: ({ start }) => start,
    daysOf: ({ days }) => [days],
    keep: keepPastHours,
  }),
  [CRON_INCIDENT]: takeCronIncidents,
  [ALERT_ENTRY]: takeEntries,
};

/** Whether a value is a line of a history. */
export function isHistory({ type }: Raw): boolean {
  return typeof type === "string" && Object.hasOwn(TAKES, type);
}

/** Keeps what is not there yet. @returns what became of each line */
export async function takeHistories(
  sql: Sql,
  scene: HistoryScene,
  raws: readonly Raw[],
): Promise<Counts> {
  let counts: Counts = {};
  for (const [type, take] of Object.entries(TAKES)) {
    const own = raws.filter((raw) => raw.type === type);
    if (own.length > 0) counts = sumOf(counts, await take(sql, scene, own));
  }
  return counts;
}

const NOBODYS: unique symbol = Symbol("of nothing that is here");

interface Sorted<T> {
  readonly rows: readonly T[];
  /** Of the lines that are no rows. */
  readonly counts: Counts;
}

/** Reads lines. @param read null: unreadable. @param isOld whether a row is not kept any more */
function sorted<T>(
  raws: readonly Raw[],
  read: (raw: Raw) => T | null | typeof NOBODYS,
  isOld: (row: T) => boolean,
): Sorted<T> {
  const rows: T[] = [];
  let [unreadable, left, old] = [0, 0, 0];
  for (const raw of raws) {
    const row = read(raw);
    if (row === null) unreadable++;
    else if (row === NOBODYS) left++;
    else if (isOld(row)) old++;
    else rows.push(row);
  }
  return { rows, counts: { unreadable, histories_left_out: left, too_old: old } };
}

/** Stores rows. @param name under which those are counted that are new */
async function kept<T>(
  { rows, counts }: Sorted<T>,
  name: string,
  keep: (rows: readonly T[]) => Promise<number>,
): Promise<Counts> {
  const count = await keep(rows);
  return sumOf(sumOf({}, counts), { [name]: count, there_already: rows.length - count });
}

/** The uptime monitors of a project by what lines call them. */
async function monitorFinder(sql: Sql, projectId: string) {
  const monitors = await listMonitors(sql, projectId);
  return ownerFinder(
    monitors.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
      .map(({ monitorId, name }) => ({ id: monitorId, name })),
  );
}

/** What is of uptime monitors: how it is read, and for how long it is kept. */
interface OfMonitors<T> {
  /** Under which those are counted that are new. */
  readonly name: string;
  readonly read: (raw: Raw, monitorId: string, now: Date) => T | null;
  readonly timeOf: (row: T) => Date;
  /** The shortest of these. */
  readonly daysOf: (scene: HistoryScene) => readonly number[];
  readonly keep: (sql: Sql, projectId: string, rows: readonly T[]) => Promise<number>;
}

function ofMonitors<T>({ name, read, timeOf, daysOf, keep }: OfMonitors<T>): Take {
  return async (sql, scene, raws) => {
    const { projectId, now } = scene;
    const since = daysBefore(scene, ...daysOf(scene));
    const find = await monitorFinder(sql, projectId);
    const rows = sorted(raws, (raw) => {
      const found = find(raw.monitor);
      return found === null ? NOBODYS : read(raw, found.owner.id, now);
    }, (row) => timeOf(row) < since);
    return await kept(rows, name, (rows) => keep(sql, projectId, rows));
  };
}

async function takeCronIncidents(
  sql: Sql,
  scene: HistoryScene,
  raws: readonly Raw[],
): Promise<Counts> {
  const { projectId, now, days } = scene;
  const since = daysBefore(scene, days);
  const slugs = new Set((await listCronMonitors(sql, [projectId])).map(({ slug }) => slug));
  const issueOf = await issueFinder(sql, scene, raws);
  const incidents = sorted(raws, (raw) => {
    const slug = readText(raw.monitor_slug) ?? "";
    return slugs.has(slug) ? cronIncidentOf(raw, slug, issueOf(raw), now) : NOBODYS;
  }, ({ resolvedAt }) => resolvedAt < since);
  return await kept(incidents, "incidents", (rows) => keepPastCronIncidents(sql, projectId, rows));
}

async function takeEntries(
  sql: Sql,
  scene: HistoryScene,
  raws: readonly Raw[],
): Promise<Counts> {
  const { projectId, now, days } = scene;
  const since = daysBefore(scene, days, ALERT_DAYS);
  const rules = await listRules(sql, projectId);
  const find = ownerFinder(
    rules.toSorted((a, b) => a.createdAt.getTime() - b.createdAt.getTime())
      .map((rule) => ({ id: rule.ruleId, name: rule.name, hasIssues: isOfIssues(rule) })),
  );
  const issueOf = await issueFinder(sql, scene, raws);
  const read = (raw: Raw): AlertTransition | null | typeof NOBODYS => {
    const found = find(raw.alert);
    if (found === null) return NOBODYS;
    const { owner: { id, hasIssues }, isSame } = found;
    if (!hasIssues) return raw.issue === undefined ? entryOf(raw, id, null, now) : NOBODYS;
    // Elsewhere the id is that of another issue, or of none.
    const issueId = isSame ? readText(raw.group) ?? "" : issueOf(raw);
    return issueId === null || !isIssueId(issueId) ? NOBODYS : entryOf(raw, id, issueId, now);
  };
  const isOld = ({ at }: AlertTransition) => at < since;
  const entries = sorted(raws.filter((raw) => !isEnd(raw)), read, isOld);
  const counts = await kept(
    entries,
    "alert_history",
    (rows) => keepPastHistory(sql, projectId, rows),
  );
  const ends = sorted(raws.filter(isEnd), read, isOld);
  const ended = await endPastHistory(sql, projectId, ends.rows);
  return [ends.counts, { alert_history: ended }].reduce(sumOf, counts);
}
