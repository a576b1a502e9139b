import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { loadSpanProfile } from "@/lib/traces/load_span_profile.ts";
import { parseScope, scopedHref } from "@/lib/ui/scope.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { findTrace, findTraceSpan, waterfallData } from "@/lib/traces/open_trace.ts";
import {
  MissingTracePage,
  type MissingTraceView,
  PACKED_SPANS,
  TracePage,
  type TracePageView,
  traceTitle,
} from "@/lib/traces/waterfall/trace_page.tsx";
import { spanOf, traceModel } from "@/lib/traces/waterfall/trace_model.ts";
import { packTrace } from "@/lib/traces/waterfall/compact_trace.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** A trace; `?span=` opens the panel of one span, `?groups=open` shows similar spans one by one. */
export default define.page<typeof handler>(({ data }) =>
  "trace" in data ? <TracePage {...data} /> : <MissingTracePage {...data} />
);

export const handler = define.handlers<TracePageView | MissingTraceView>({
  async GET(ctx) {
    const access = await requireProject(ctx, "project:read");
    const { project } = access;
    const { services, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const traceId = ctx.params.trace ?? "";
    const openKey = searchParams.get("span");
    const [shell, found] = await Promise.all([
      loadShell(ctx, project),
      findTrace(ctx.state, access, traceId),
    ]);
    const scopeSearch = scopedHref("", parseScope(searchParams));
    if (found.trace === null) {
      meta.title = `${t("No such trace")} · ${project.name}`;
      return page({ shell, project, reason: found.reason, scopeSearch }, { status: 404 });
    }
    const { trace, projects } = found;
    const data = waterfallData(found);
    const model = traceModel(data);
    const span = openKey === null ? null : spanOf(model, openKey);
    const [detail, profile] = await Promise.all([
      span && findTraceSpan(services.sql, span.projectId, trace.traceId, span.spanId),
      loadSpanProfile(services, model, openKey),
    ]);
    meta.title = `${traceTitle(trace, model)} · ${project.name}`;
    return page({
      shell,
      project,
      trace,
      projects,
      model,
      openKey,
      reading: detail === null ? { kind: "none" } : { kind: "read", detail },
      profile,
      unfoldsGroups: searchParams.get("groups") === "open",
      scopeSearch,
      packed: trace.spans.length <= PACKED_SPANS ? JSON.stringify(packTrace(data)) : null,
      now: new Date(),
    });
  },
});
