import { t } from "@/lib/core/language/translate.ts";
import { HttpError, page } from "fresh";
import { addressGroup } from "@/lib/accounts/attempts.ts";
import { Refusal } from "@/lib/core/refusal.ts";
import { loadShared } from "@/lib/errors/manage/shared_issue.ts";
import { SharedIssuePage, type SharedView } from "@/lib/errors/manage/shared_page.tsx";
import { define } from "@/lib/server/define.ts";
import { issueWords } from "@/lib/errors/monitor_words.ts";

/** Pages a second for one network; twice that in a burst. */
const RATE_PER_SEC = 5;

/** An issue for people without an account, by a link that a member has made. */
export default define.page<typeof handler>(({ data }) => <SharedIssuePage {...data} />);

export const handler = define.handlers<SharedView>({
  async GET(ctx) {
    const { services, clientAddress } = ctx.state;
    const permit = await services.rates.take(`share:${addressGroup(clientAddress)}`, RATE_PER_SEC);
    if (!permit.ok) {
      throw new Refusal(429, "Too many shared issues were opened from here. Wait a moment", {
        kind: "rate_limited",
        reason: "project_rate",
      }, { "retry-after": String(permit.retryAfterSec) });
    }
    const shared = await loadShared(services, ctx.params.share ?? "");
    // The same words for a link that never was, has ended, is revoked, or whose issue is gone.
    if (shared === null) {
      throw new HttpError(
        404,
        t("There is no shared issue here: the link is wrong, or has ended."),
      );
    }
    const { searchParams } = ctx.url;
    ctx.state.meta.title = issueWords(shared.issue).title;
    return page({
      ...shared,
      mode: searchParams.get("frames") === "all" ? "all" : "app",
      order: searchParams.get("order") === "oldest" ? "oldest" : "newest",
    }, { headers: { "cache-control": "no-store", "x-robots-tag": "noindex, nofollow" } });
  },
});
