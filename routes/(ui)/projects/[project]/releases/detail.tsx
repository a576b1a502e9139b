import { HttpError, page } from "fresh";
import { DAY_MS } from "@/lib/core/time.ts";
import { issuesOfRelease } from "@/lib/errors/mod.ts";
import { loadRelease } from "@/lib/releases/pages/load_release.ts";
import { ReleasePage, type ReleaseView } from "@/lib/releases/pages/release_page.tsx";
import { define } from "@/lib/server/define.ts";
import { cliClient, openPage } from "@/lib/server/open_pages.ts";
import { issueSlot, quoted, slotOfIds } from "@/lib/server/release_issues.tsx";
import { visible } from "@/lib/ui/json.ts";
import { sectionPath } from "@/lib/ui/links.ts";
import { t } from "@/lib/core/language/translate.ts";

/** One release, named by `version`. */
export default define.page<typeof handler>(({ data }) => <ReleasePage {...data} />);

export const handler = define.handlers<ReleaseView>({
  async GET(ctx) {
    const { project, shell, pageScope } = await openPage(ctx);
    const { services: { sql, config }, meta } = ctx.state;
    const version = ctx.url.searchParams.get("version") ?? "";
    if (version === "") return ctx.redirect(sectionPath(project.id, "releases"));
    const release = await loadRelease(sql, pageScope, version);
    if (release === null) {
      throw new HttpError(404, t("There is no such release. Somebody may have deleted it."));
    }
    meta.title = `${visible(version)} · ${project.name}`;
    // What a release has to do with is older than the time that people look at, as a rule.
    const since = new Date(Date.now() - config.retentionDays * DAY_MS);
    const { regressed, resolved } = await issuesOfRelease(sql, project.id, version, release.base);
    const issues = await Promise.all([
      issueSlot(sql, pageScope, {
        id: "new-issues",
        title: t("New issues"),
        query: `firstRelease:${quoted(version)}`,
        release: "",
        since,
        none: t("No issue was first seen in this release"),
      }),
      slotOfIds(sql, pageScope, regressed, {
        id: "regressed-issues",
        title: t("Regressed issues"),
        since,
        none: t("No issue came back in this release"),
      }),
      slotOfIds(sql, pageScope, resolved, {
        id: "resolved-issues",
        title: t("Resolved issues"),
        since,
        none: t("No issue is resolved in this release"),
      }),
    ]);
    return page({ shell, pageScope, ...release, issues, client: await cliClient(ctx) });
  },
});
