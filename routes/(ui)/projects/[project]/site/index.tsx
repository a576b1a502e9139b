import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { MONITOR_WRITE } from "@/lib/monitors/uptime/pages/actions.ts";
import { define } from "@/lib/server/define.ts";
import { openPage } from "@/lib/server/open_pages.ts";
import { loadSite, type SiteView } from "@/lib/sites/overview.ts";
import { SitePage } from "@/lib/sites/overview_page.tsx";

export default define.page<typeof handler>(({ data }) => <SitePage {...data} />);

export const handler = define.handlers<SiteView>({
  async GET(ctx) {
    const { role } = await requireProject(ctx, "project:read");
    const { project, shell, pageScope } = await openPage(ctx);
    const { services, meta } = ctx.state;
    meta.title = `${t("Site")} · ${project.name}`;
    return page({
      shell,
      pageScope,
      site: await loadSite(services, pageScope),
      mayAddMonitors: roleAllows(role, MONITOR_WRITE),
    });
  },
});
