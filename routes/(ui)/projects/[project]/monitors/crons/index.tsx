import { t } from "@/lib/core/language/translate.ts";
import { page } from "fresh";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { MONITOR_WRITE } from "@/lib/monitors/cron/pages/actions.ts";
import {
  CronListPage,
  type CronListView,
  loadCronList,
} from "@/lib/monitors/cron/pages/list_page.tsx";
import { define } from "@/lib/server/define.ts";
import { SERVER, serverDsn } from "@/lib/server/open_pages.ts";
import { loadShell } from "@/lib/server/shell.tsx";

export default define.page<typeof handler>(({ data }) => <CronListPage {...data} />);

export const handler = define.handlers<CronListView>({
  async GET(ctx) {
    const { project, role } = await requireProject(ctx, "project:read");
    const { services: { sql }, meta } = ctx.state;
    const [shell, dsn, list] = await Promise.all([
      loadShell(ctx, project),
      serverDsn(ctx, SERVER),
      loadCronList(sql, project.id, ctx.url.searchParams, new Date()),
    ]);
    meta.title = `${t("Cron jobs")} · ${project.name}`;
    return page({ shell, project, dsn, mayWrite: roleAllows(role, MONITOR_WRITE), ...list });
  },
});
