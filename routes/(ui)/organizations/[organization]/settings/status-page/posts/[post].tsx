import { t } from "@/lib/core/language/translate.ts";
import { HttpError } from "fresh";
import { emailOf } from "@/lib/accounts/authorize.ts";
import { roleAllows } from "@/lib/accounts/members.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import {
  addUpdate,
  checkState,
  checkText,
  deletePost,
  findPost,
  type StatusPost,
} from "@/lib/monitors/status/posts.ts";
import { type PostData, PostPanels } from "@/lib/monitors/status/pages/post_forms.tsx";
import { OrganizationSettingsPage } from "@/lib/projects/settings_page.tsx";
import { define } from "@/lib/server/define.ts";
import { type Asking, formHandlers } from "@/lib/server/form_handlers.ts";
import {
  MAY_POST,
  openStatusSettings,
  type StatusSettingsFrame,
  statusSettingsPath,
} from "@/lib/server/status_settings.ts";
import { CONFIRM_FIELD } from "@/lib/ui/components/fields.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { attempt, fieldOf, readForm } from "@/lib/ui/form.ts";

/** An incident or maintenance with its updates. */
export default define.page<typeof handler>(({ data }) => (
  <OrganizationSettingsPage {...data} tab="status-page">
    <PostPanels {...data} />
  </OrganizationSettingsPage>
));

async function requirePost({ state, params }: Asking, organizationId: string): Promise<StatusPost> {
  const post = await findPost(state.services.kv, organizationId, params.post ?? "");
  if (post === null) {
    throw new HttpError(404, t("There is no such incident or maintenance any more."));
  }
  return post;
}

export const handler = formHandlers<StatusSettingsFrame & PostData>(async (ctx) => {
  const { role, ...frame } = await openStatusSettings(ctx, "organization:read");
  return {
    ...frame,
    post: await requirePost(ctx, frame.organization.id),
    hasMail: ctx.state.services.config.smtp !== null,
    mayPost: roleAllows(role, MAY_POST),
    values: {},
    errors: {},
  };
}, async (ctx) => {
  const { organization: { id, slug } } = await openStatusSettings(ctx, MAY_POST);
  const { kind, postId } = await requirePost(ctx, id);
  const { kv, config } = ctx.state.services;
  const form = await readForm(ctx.req);
  const path = statusSettingsPath(slug);
  const result = await attempt(async () => {
    if (form.get("action") === "delete") {
      if (fieldOf(form, CONFIRM_FIELD) !== "delete") {
        throw new InvalidInput(CONFIRM_FIELD, t("Type the word exactly as it is shown."));
      }
      await deletePost(kv, id, postId);
      return path;
    }
    const update = {
      state: checkState(kind, fieldOf(form, "state")),
      text: checkText(fieldOf(form, "text")),
    };
    await addUpdate(kv, id, postId, update, {
      by: emailOf(ctx.state.actor),
      isTold: config.smtp !== null && form.get("tell") === "on",
    });
    return `${path}/posts/${postId}`;
  });
  if (result.ok) {
    return redirectWithFlash(result.value, result.value === path ? t("Deleted.") : t("Published."));
  }
  return { changes: { values: Object.fromEntries(form), errors: result.errors } };
});
