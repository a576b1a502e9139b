import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import {
  EndpointListPage,
  type EndpointListView,
} from "@/lib/traces/endpoints/endpoint_list_page.tsx";
import { loadEndpointList } from "@/lib/traces/endpoints/load_endpoints.ts";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <EndpointListPage {...data} />);

export const handler = define.handlers<EndpointListView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql }, meta } = ctx.state;
    const { searchParams } = ctx.url;
    meta.title = `${t("Endpoints")} · ${project.name}`;
    return page({ shell, pageScope, ...await loadEndpointList(sql, pageScope, searchParams) });
  },
});
