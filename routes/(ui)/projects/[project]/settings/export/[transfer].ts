import { HttpError } from "fresh";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { whileHeld } from "@/lib/core/held_right.ts";
import { t } from "@/lib/core/language/translate.ts";
import { define } from "@/lib/server/define.ts";
import { rightToPage } from "@/lib/server/held_right.ts";
import { exportFile } from "@/lib/transfers/files.ts";
import { findTransfer } from "@/lib/transfers/transfers.ts";

/** The archive of an export. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "people:data");
    const { services } = ctx.state;
    const transfer = await findTransfer(services.sql, project.id, ctx.params.transfer ?? "");
    const file = transfer && await exportFile(services, project, transfer);
    if (file === null) throw new HttpError(404, t("There is no such file, or it has expired."));
    return whileHeld(file, rightToPage(ctx, (again) => requireProject(again, "people:data")));
  },
});
