import { page } from "fresh";
import { ReleaseListPage, type ReleaseListView } from "@/lib/releases/pages/list_page.tsx";
import { loadReleaseList } from "@/lib/releases/pages/load_list.ts";
import { define } from "@/lib/server/define.ts";
import { cliClient, openPage } from "@/lib/server/open_pages.ts";
import { t } from "@/lib/core/language/translate.ts";

export default define.page<typeof handler>(({ data }) => <ReleaseListPage {...data} />);

export const handler = define.handlers<ReleaseListView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services, meta } = ctx.state;
    meta.title = `${t("Releases")} · ${project.name}`;
    const [list, client] = await Promise.all([
      loadReleaseList(services.sql, pageScope, ctx.url.searchParams),
      cliClient(ctx),
    ]);
    return page({ shell, pageScope, client, ...list });
  },
});
