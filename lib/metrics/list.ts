import type { ProjectAccess } from "../accounts/authorize.ts";
import {
  type ListedMetric,
  listMetrics,
  readMetricCursor,
} from "./catalog.ts";
import type { MetricKind } from "../records/mod.ts";
import type { ApiContext } from "../api/api.ts";
import { ApiError } from "../api/api_error.ts";
import { readLimit } from "../api/issue_query.ts";
import { listReply } from "../api/api_page.ts";
import { readScope, readText } from "./read_request.ts";

const KINDS: readonly MetricKind[] = ["counter", "gauge", "histogram"];

/** The metrics of a project by name; `query` is part of the name, `kind` the whole kind. */
export async function metricListReply(
  ctx: ApiContext,
  { project }: ProjectAccess,
): Promise<Response> {
  const { searchParams } = ctx.url;
  const page = await listMetrics(ctx.state.services.sql, project.id, {
    search: readText(searchParams, "query").trim(),
    kind: readKind(searchParams.get("kind")),
    scope: readScope(searchParams),
    cursor: checkedCursor(searchParams.get("cursor") || null),
    limit: readLimit(searchParams.get("limit") ?? searchParams.get("per_page")),
  });
  return listReply(ctx, page.rows.map(metricJson), page);
}

/** A kind of metric; null when none is named. @throws {ApiError} 400 for what is none */
export function readKind(text: string | null): MetricKind | null {
  if (!text) return null;
  const kind = KINDS.find((each) => each === text);
  if (kind !== undefined) return kind;
  throw ApiError.detail(400, `Invalid kind: write ${KINDS.join(", ")}`);
}

/** Else a script that goes on with a damaged cursor would read the first page for ever. */
function checkedCursor(cursor: string | null): string | null {
  if (cursor === null || readMetricCursor(cursor) !== null) return cursor;
  throw ApiError.detail(400, "Invalid cursor: take it from a Link header");
}

function metricJson(metric: ListedMetric) {
  return {
    name: metric.name,
    kind: metric.kind,
    unit: metric.unit,
    description: metric.description,
    series: metric.seriesCount,
    services: metric.services,
    /** Seconds; null while it is not known. */
    interval: metric.usualIntervalMs > 0 ? Math.round(metric.usualIntervalMs) / 1_000 : null,
    firstSeen: metric.firstSeen,
    lastSeen: metric.seenOn,
  };
}
