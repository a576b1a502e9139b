import { exportProfile } from "@/lib/profiles/responses.ts";
import { loadProfile } from "@/lib/profiles/profile/load_profile.ts";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { auditExport } from "@/lib/store/audit.ts";
import { define } from "@/lib/server/define.ts";

/** A profile as a file: `format` is stored, original, pprof, collapsed, speedscope or svg. */
export const handler = define.handlers({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services } = ctx.state;
    const { searchParams } = ctx.url;
    const profileId = ctx.params.profile ?? "";
    const loaded = await loadProfile(services, project.id, profileId, searchParams);
    await auditExport(services.sql, "profile", profileId, project.id);
    return await exportProfile(services.objects, loaded, searchParams.get("format"));
  },
});
