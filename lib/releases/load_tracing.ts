import { settingsOf } from "../accounts/project_settings.ts";
import type { Project } from "../accounts/projects.ts";
import type { Sql } from "../store/database.ts";
import type { StatsSelection } from "../store/stats/read_stats.ts";
import { releaseStarts } from "../store/stats/release_starts.ts";
import type { SeriesKind } from "../store/stats/series.ts";
import { environmentsOf, releasesOf, servicesOf } from "../errors/tags.ts";
import { foldForReading } from "../store/stats/fold_stats.ts";
import type { ChartMarker } from "../ui/charts/mod.ts";
import { type Interval, intervalOf, parseScope, type Scope } from "../ui/scope.ts";

/** What every page of traces knows: whose, which part, which time. */
export interface Tracing {
  readonly project: Project;
  readonly scope: Scope;
  readonly interval: Interval;
  readonly now: Date;
  /** What there is to choose from. */
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  readonly services: readonly string[];
  /** Releases that began within the interval. */
  readonly markers: readonly ChartMarker[];
  /** What satisfies, in milliseconds. */
  readonly apdexMs: number;
  /** Share of traces that the project keeps; below 1 its counts are extrapolated. */
  readonly sampleRate: number;
}

/** Reads the scope of a page of traces out of its URL, and what its pickers and charts need. */
export async function loadTracing(
  sql: Sql,
  project: Project,
  search: URLSearchParams,
  now: Date = new Date(),
): Promise<Tracing> {
  const scope = parseScope(search);
  const interval = intervalOf(scope, now);
  await foldForReading(sql);
  const [environments, releases, services, starts] = await Promise.all([
    environmentsOf(sql, project.id),
    releasesOf(sql, project.id),
    servicesOf(sql, project.id),
    releaseStarts(sql, project.id, interval),
  ]);
  const { apdexMs, sampleRate } = settingsOf(project);
  return {
    project,
    scope,
    interval,
    now,
    environments,
    releases,
    services,
    markers: starts.map(({ release, at }) => ({ at: at.getTime(), label: release })),
    apdexMs,
    sampleRate,
  };
}

/** What a page of traces counts. */
export function selectionOf(
  { project, scope: { environments, releases, services }, interval }: Tracing,
  kind: SeriesKind,
  extra: Partial<StatsSelection> = {},
): StatsSelection {
  return { projectId: project.id, kind, environments, releases, services, ...interval, ...extra };
}
