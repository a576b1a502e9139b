import { page } from "fresh";
import { titleOf } from "@/lib/profiles/responses.ts";
import { loadProfile } from "@/lib/profiles/profile/load_profile.ts";
import { ProfilePage, type ProfilePageView } from "@/lib/profiles/profile/profile_page.tsx";
import { readNamedTraces } from "@/lib/profiles/queries/stored_profiles.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { requireProject } from "@/lib/accounts/authorize.ts";
import { define } from "@/lib/server/define.ts";

/** More could not be told apart. */
const MAX_TRACES = 5;

/** One profile; the query chooses which of its samples and values are shown, and how. */
export default define.page<typeof handler>(({ data }) => <ProfilePage {...data} />);

export const handler = define.handlers<ProfilePageView>({
  async GET(ctx) {
    const { project } = await requireProject(ctx, "project:read");
    const { services, meta } = ctx.state;
    const { searchParams } = ctx.url;
    const [shell, loaded] = await Promise.all([
      loadShell(ctx, project),
      loadProfile(services, project.id, ctx.params.profile ?? "", searchParams),
    ]);
    const { row } = loaded;
    const named = await readNamedTraces(services.sql, project.id, [row], MAX_TRACES);
    meta.title = `${titleOf(loaded)} · ${project.name}`;
    return page({ shell, project, loaded, named: named.get(row.profileId) ?? null, url: ctx.url });
  },
});
