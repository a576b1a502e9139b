import {
  EXPORT_FORMATS,
  exportName,
  exportResponse,
  jsonResponse,
  readExportFormat,
} from "@/lib/profiles/responses.ts";
import { mergedTree, readGraph, readGraphRequest } from "@/lib/profiles/selection.ts";
import { typeName } from "@/lib/profiles/words.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { auditExport } from "@/lib/store/audit.ts";
import { define } from "@/lib/server/define.ts";

/** The merged graph of the page as a file: `format` is pprof, collapsed, speedscope or svg. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services } = ctx.state;
    const format = readExportFormat(ctx.url.searchParams.get("format"));
    if (format === null) {
      return jsonResponse({ detail: `format: There are ${EXPORT_FORMATS.join(", ")}.` }, 400);
    }
    const asked = await readGraphRequest(services, project.id, ctx.url.searchParams);
    if (typeof asked === "string") return jsonResponse({ detail: asked }, 400);
    const { merged, selection, params, side } = await readGraph(services, asked);
    const service = selection.services.join("-");
    await auditExport(services.sql, "profile", `${service || project.name}.${format}`, project.id);
    return exportResponse(format, {
      tree: mergedTree(merged, selection, params.shape, side),
      whole: {
        stacks: merged.stacks,
        average: merged.average,
        head: {
          timeNanos: BigInt(selection.start.getTime()) * 1_000_000n,
          defaultSampleType: selection.type.type,
        },
      },
      name: exportName(service, selection.type, selection.start),
      title: `${typeName(selection.type)} of ${service || project.name}`,
    });
  },
});
