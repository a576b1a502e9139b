import { page } from "fresh";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { MONITOR_WRITE } from "@/lib/monitors/uptime/pages/actions.ts";
import {
  loadMonitorList,
  MonitorListPage,
  type MonitorListView,
} from "@/lib/monitors/uptime/pages/list_page.tsx";
import { define } from "@/lib/server/define.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { t } from "@/lib/core/language/translate.ts";

export default define.page<typeof handler>(({ data }) => <MonitorListPage {...data} />);

export const handler = define.handlers<MonitorListView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const [shell, list] = await Promise.all([
      loadShell(ctx, project),
      loadMonitorList(sql, project.id, ctx.url.searchParams, new Date()),
    ]);
    meta.title = `${t("Monitors")} · ${project.name}`;
    return page({ shell, project, mayWrite: roleAllows(role, MONITOR_WRITE), ...list });
  },
});
