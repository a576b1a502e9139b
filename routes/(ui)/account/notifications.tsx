import {
  listProjectsSeenBy,
  listVisibleOrganizations,
  requireUser,
} from "@/lib/accounts/authorize.ts";
import { t } from "@/lib/core/language/translate.ts";
import {
  preferencesOf,
  PreferencesPage,
  type PreferencesView,
  readPreferences,
  setPreferences,
} from "@/lib/notifications/mod.ts";
import { define, type State } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { readForm } from "@/lib/ui/form.ts";

export default define.page<typeof handler>(({ data }) => <PreferencesPage {...data} />);

export const handler = formHandlers<PreferencesView>(async (ctx) => {
  const user = requireUser(ctx.state);
  const { kv, config } = ctx.state.services;
  ctx.state.meta.title = t("Notifications");
  return {
    shell: await loadShell(ctx),
    preferences: await preferencesOf(kv, user.id),
    places: await placesOf(ctx.state),
    email: user.email,
    hasMail: config.smtp !== null,
  };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  const { kv } = ctx.state.services;
  const shown = (await placesOf(ctx.state)).flatMap(({ projects }) => projects.map(({ id }) => id));
  const before = await preferencesOf(kv, user.id);
  await setPreferences(kv, user.id, readPreferences(await readForm(ctx.req), shown, before));
  return redirectWithFlash("/account/notifications", t("Your notifications are saved."));
});

async function placesOf({ actor, services: { kv } }: State): Promise<PreferencesView["places"]> {
  const organizations = await listVisibleOrganizations(kv, actor);
  return await Promise.all(
    organizations.map(async (organization) => ({
      organization: organization.name,
      projects: await listProjectsSeenBy(kv, actor, organization),
    })),
  );
}
