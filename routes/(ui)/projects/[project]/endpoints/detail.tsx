import { page } from "fresh";
import {
  EndpointDetailPage,
  type EndpointDetailView,
} from "@/lib/traces/endpoints/endpoint_page.tsx";
import { loadEndpointDetail, readEndpointParams } from "@/lib/traces/endpoints/load_endpoint.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <EndpointDetailPage {...data} />);

export const handler = define.handlers<EndpointDetailView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const params = readEndpointParams(ctx.url.searchParams);
    if (params === null) return ctx.redirect(sectionPath(project.id, "endpoints"));
    meta.title = `${params.key} · ${project.name}`;
    return page({ shell, pageScope, ...await loadEndpointDetail(sql, pageScope, params) });
  },
});
