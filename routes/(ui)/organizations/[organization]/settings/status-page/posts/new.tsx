import { t } from "@/lib/core/language/translate.ts";
import { emailOf } from "@/lib/accounts/authorize.ts";
import { checkPost, createPost } from "@/lib/monitors/status/posts.ts";
import { type NewPostData, NewPostForm } from "@/lib/monitors/status/pages/post_forms.tsx";
import { entryKey } from "@/lib/monitors/status/status_page.ts";
import { OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import {
  MAY_POST,
  openStatusSettings,
  requirePage,
  type StatusSettingsFrame,
  statusSettingsPath,
} from "@/lib/server/status_settings.ts";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";

/** A new incident or planned maintenance on the status page. */
export default define.page<typeof handler>(({ data }) => (
  <OrganizationSettingsPage {...data} tab="status-page">
    <NewPostForm {...data} />
  </OrganizationSettingsPage>
));

export const handler = formHandlers<StatusSettingsFrame & NewPostData>(async (ctx) => {
  const { role: _, ...frame } = await openStatusSettings(ctx, MAY_POST);
  return {
    ...frame,
    kind: ctx.url.searchParams.get("kind") === "maintenance" ? "maintenance" : "incident",
    page: await requirePage(ctx, frame.organization.id),
    hasMail: ctx.state.services.config.smtp !== null,
    values: {},
    chosen: [],
    errors: {},
  };
}, async (ctx) => {
  const { organization } = await openStatusSettings(ctx, MAY_POST);
  const page = await requirePage(ctx, organization.id);
  const { kv, config } = ctx.state.services;
  const form = await readForm(ctx.req);
  const kind = form.get("kind") === "maintenance" ? "maintenance" : "incident";
  const chosen = form.getAll("entries");
  const known = new Set(page.entries.map(entryKey));
  const result = await attempt(async () =>
    await createPost(
      kv,
      organization.id,
      checkPost(kind, (name) => fieldOf(form, name), chosen, known),
      {
        by: emailOf(ctx.state.actor),
        isTold: config.smtp !== null && form.get("tell") === "on",
      },
    )
  );
  if (result.ok) {
    const path = `${statusSettingsPath(organization.slug)}/posts/${result.value.postId}`;
    return redirectWithFlash(path, t("Published."));
  }
  return { changes: { kind, chosen, values: Object.fromEntries(form), errors: result.errors } };
});
