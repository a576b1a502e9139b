import { HttpError } from "fresh";
import { requireOrganization } from "@/lib/accounts/authorize.ts";
import { t } from "@/lib/core/language/translate.ts";
import { jobFile } from "@/lib/end_users/job_file.ts";
import { findJob } from "@/lib/end_users/jobs.ts";
import { whileHeld } from "@/lib/core/held_right.ts";
import { rightToPage } from "@/lib/server/held_right.ts";
import { define } from "@/lib/server/define.ts";

/** The receipt of an export or deletion; with `file=zip` what was exported. */
export const handler = define.handlers({
  async GET(ctx) {
    const { organization } = await requireOrganization(ctx, "people:data");
    const { services } = ctx.state;
    const job = await findJob(services.sql, organization.id, ctx.params.job ?? "");
    const file = job && await jobFile(services, job, ctx.url.searchParams.get("file") === "zip");
    if (file === null) throw new HttpError(404, t("There is no such file, or it has expired."));
    return whileHeld(file, rightToPage(ctx, (again) => requireOrganization(again, "people:data")));
  },
});
