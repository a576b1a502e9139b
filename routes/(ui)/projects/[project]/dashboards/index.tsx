import { page } from "fresh";
import {
  DashboardListPage,
  type DashboardListView,
  loadList,
} from "@/lib/dashboards/list_page.tsx";
import { define } from "@/lib/server/define.ts";
import { openDashboards } from "@/lib/server/open_pages.ts";

export default define.page<typeof handler>(({ data }) => <DashboardListPage {...data} />);

export const handler = define.handlers<DashboardListView>({
  async GET(ctx) {
    const { shell, tracing, mayEdit } = await openDashboards(ctx, "project:read");
    const { services, meta } = ctx.state;
    meta.title = `Dashboards · ${tracing.project.name}`;
    return page({ shell, tracing, mayEdit, ...await loadList(services, tracing.project.id) });
  },
});
