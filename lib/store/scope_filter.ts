import type postgres from "postgres";
import type { Queryable } from "./database.ts";
import { storable } from "../core/storable.ts";

/** What nearly every query of telemetry is limited to. Empty lists ask for all. */
export interface QueryScope {
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  /** Included. */
  readonly start: Date;
  /** Excluded. */
  readonly end: Date;
}

export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** `and environment = any (…) and release = any (…)`, for tables that have both columns. */
export function inScope(
  sql: Queryable,
  { environments, releases }: Pick<QueryScope, "environments" | "releases">,
): postgres.Fragment {
  const isAny = (values: readonly string[]) => sql`= any (${values.map(storable)}::text[])`;
  return sql`
    ${environments.length === 0 ? sql`` : sql`and environment ${isAny(environments)}`}
    ${releases.length === 0 ? sql`` : sql`and release ${isAny(releases)}`}
  `;
}

/** The start of the UTC day, or of another period from the epoch, that holds `date`. */
export function floorTo(periodMs: number, date: Date): Date {
  return new Date(Math.floor(date.getTime() / periodMs) * periodMs);
}

/** The first start of such a period that is not before `date`. */
export function ceilTo(periodMs: number, date: Date): Date {
  return new Date(Math.ceil(date.getTime() / periodMs) * periodMs);
}

/** `YYYY-MM-DD` of the UTC day. */
export function dayOf(date: Date): string {
  return date.toISOString().slice(0, 10);
}

/** The starts of the periods that a range is made of; its start is the first one. */
export function periods({ start, end }: { start: Date; end: Date }, periodMs: number): Date[] {
  const count = Math.max(0, Math.ceil((end.getTime() - start.getTime()) / periodMs));
  return Array.from({ length: count }, (_, index) => new Date(start.getTime() + index * periodMs));
}
