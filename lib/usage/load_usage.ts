import type { Project } from "../accounts/projects.ts";
import { type QuotaUse, quotaUse } from "../accounts/quotas.ts";
import { listVisibleProjects, type Looker } from "../accounts/visibility.ts";
import { withTimeLimit } from "../core/waiting.ts";
import type { Backend } from "../store/stores.ts";
import type { Sql } from "../store/database.ts";
import {
  type Accepted,
  acceptedOf,
  type TooLarge,
  tooLargeSince,
  type Usage,
  usageOf,
  type UsageRow,
  usageRows,
} from "./counts.ts";
import { DAY_MS, HOUR_MS } from "../core/time.ts";
import { csvLine } from "../ui/csv.ts";

/** What a query string asks for. */
interface UsageQuestion {
  readonly month: Month;
  /** All that whoever asks sees. */
  readonly projects: readonly Project[];
  /** The project that is looked at, or null for all. */
  readonly project: Project | null;
}

export interface OrganizationUsage extends UsageQuestion {
  readonly usage: Usage;
  /** Of the current month. */
  readonly quota: QuotaUse;
  readonly bytesQuota: QuotaUse;
  /** What was stored of the month and the projects that are looked at. */
  readonly accepted: Accepted;
}

/** What an organization sent in the month, and of the project, that the query names; the quota is of all its projects. */
export async function loadUsage(
  { kv, sql }: Pick<Backend, "kv" | "sql">,
  looker: Looker,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<OrganizationUsage> {
  const question = await readQuestion(kv, looker, search, now);
  const [usage, accepted, quota, bytesQuota] = await Promise.all([
    usageOf(sql, idsOf(question), question.month),
    acceptedOf(sql, idsOf(question), question.month),
    quotaUse(kv, looker.organization.id, now),
    quotaUse(kv, looker.organization.id, now, "bytes"),
  ]);
  return { ...question, usage, accepted, quota, bytesQuota };
}

/** The same in full detail. */
export async function loadUsageRows(
  { kv, sql }: Pick<Backend, "kv" | "sql">,
  looker: Looker,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<UsageQuestion & { readonly rows: readonly UsageRow[] }> {
  const question = await readQuestion(kv, looker, search, now);
  return { ...question, rows: await usageRows(sql, idsOf(question), question.month) };
}

async function readQuestion(
  kv: Deno.Kv,
  looker: Looker,
  search: URLSearchParams,
  now: Date,
): Promise<UsageQuestion> {
  const projects = await listVisibleProjects(kv, looker);
  const project = projects.find(({ id }) => id === search.get("project")) ?? null;
  return { month: monthOf(search.get("month"), now), projects, project };
}

function idsOf({ projects, project }: UsageQuestion): string[] {
  return (project === null ? projects : [project]).map(({ id }) => id);
}

/** Every page asks, and nobody needs to know sooner. */
const KEPT_MS = 15_000;
/** A frame is shown without it rather than late. */
const LIMIT_MS = 1_000;
/** Lists of projects that are remembered at once. */
const MAX_KEPT = 1_000;

interface Kept {
  readonly at: number;
  readonly found: Promise<readonly TooLarge[]>;
}

const kept = new WeakMap<Sql, Map<string, Kept>>();

/** What some projects lost lately since their requests were too large: in this hour (UTC) and the one before. Never throws. */
export async function loadTooLarge(
  { sql, log }: Pick<Backend, "sql" | "log">,
  projectIds: readonly string[],
  now = Date.now(),
): Promise<readonly TooLarge[]> {
  if (projectIds.length === 0) return [];
  const answers = kept.get(sql) ?? new Map<string, Kept>();
  kept.set(sql, answers);
  const key = projectIds.join(" ");
  let answer = answers.get(key);
  if (answer === undefined || now - answer.at >= KEPT_MS) {
    if (answers.size >= MAX_KEPT) answers.clear();
    answer = { at: now, found: tooLargeSince(sql, projectIds, hourBefore(now)) };
    answers.set(key, answer);
  }
  try {
    return await withTimeLimit(answer.found, LIMIT_MS);
  } catch (error) {
    log.warn("cannot tell what was refused as too large", { error });
    return [];
  }
}

function hourBefore(now: number): Date {
  return new Date(Math.floor((now - HOUR_MS) / HOUR_MS) * HOUR_MS);
}

const COLUMNS = ["day", "project", "category", "outcome", "reason", "quantity", "project_name"];

/**
 * The rows as CSV (RFC 4180), one line for each day, project, category, outcome and reason.
 *
 * @param projectNames by project id
 */
export function usageCsv(
  rows: readonly UsageRow[],
  projectNames: ReadonlyMap<string, string>,
): string {
  const lines = rows.map(({ day, projectId, category, kind, reason, quantity }) =>
    csvLine([
      day,
      projectId,
      category,
      kind,
      reason,
      String(quantity),
      projectNames.get(projectId) ?? "",
    ])
  );
  return [csvLine(COLUMNS), ...lines].join("");
}

/** A calendar month in UTC. */
export interface Month {
  /** `2026-11` */
  readonly name: string;
  readonly start: Date;
  /** The beginning of the next one. */
  readonly end: Date;
  /** `YYYY-MM-DD`, all of them. */
  readonly days: readonly string[];
}

/** The month of a name such as `2026-11`; that of `now` for anything else, and for months to come. */
export function monthOf(name: string | null, now: Date = new Date()): Month {
  const match = /^(\d{4})-(0[1-9]|1[0-2])$/.exec(name ?? "");
  const current = Date.UTC(now.getUTCFullYear(), now.getUTCMonth());
  const wanted = match === null ? current : Date.UTC(Number(match[1]), Number(match[2]) - 1);
  const start = new Date(wanted > current || wanted < 0 ? current : wanted);
  const end = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + 1));
  const days: string[] = [];
  for (let time = start.getTime(); time < end.getTime(); time += DAY_MS) {
    days.push(new Date(time).toISOString().slice(0, 10));
  }
  return { name: start.toISOString().slice(0, 7), start, end, days };
}

/** The name of the month before or after. */
export function neighbour({ start }: Month, step: -1 | 1): string {
  const date = new Date(Date.UTC(start.getUTCFullYear(), start.getUTCMonth() + step));
  return date.toISOString().slice(0, 7);
}
