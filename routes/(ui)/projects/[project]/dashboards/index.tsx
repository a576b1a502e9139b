import { t } from "@/lib/core/language/translate.ts";
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
    const { shell, pageScope, mayEdit } = await openDashboards(ctx, "project:read");
    const { services, meta } = ctx.state;
    meta.title = `${t("Dashboards")} · ${pageScope.project.name}`;
    return page({ shell, pageScope, mayEdit, ...await loadList(services, pageScope.project.id) });
  },
});
