import { page } from "fresh";
import { roleAllows } from "@/lib/accounts/members.ts";
import { ALERT_WRITE } from "@/lib/alerts/pages/actions.ts";
import {
  AlertListPage,
  type AlertListView,
  loadAlertList,
} from "@/lib/alerts/pages/alert_list.tsx";
import { loadShell } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";
import { t } from "@/lib/core/language/translate.ts";

export default define.page<typeof handler>(({ data }) => <AlertListPage {...data} />);

export const handler = define.handlers<AlertListView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const now = new Date();
    const [shell, list] = await Promise.all([
      loadShell(ctx, project),
      loadAlertList(sql, project.id, ctx.url.searchParams, now),
    ]);
    meta.title = `${t("Alerts")} · ${project.name}`;
    return page({ shell, project, mayWrite: roleAllows(role, ALERT_WRITE), now, ...list });
  },
});
