/** What the pages of a status page's settings show: loaded once, for all of them. */
import { t } from "../core/language/translate.ts";
import { HttpError } from "fresh";
import { type OrganizationAccess, requireOrganization } from "../accounts/authorize.ts";
import { type Permission, roleAllows } from "../accounts/members.ts";
import { SECOND_MS } from "../core/time.ts";
import { withTimeLimit } from "../core/waiting.ts";
import { availableMonitors } from "../monitors/status/measured.ts";
import { type SettingsData, settingsValues } from "../monitors/status/pages/settings_forms.tsx";
import { listPosts } from "../monitors/status/posts.ts";
import { findPage, type StatusPage } from "../monitors/status/status_page.ts";
import { countSubscribers } from "../monitors/status/subscribers.ts";
import { organizationPath } from "../projects/settings_page.tsx";
import type { Organization } from "../accounts/organizations.ts";
import type { Shell } from "../ui/shell.ts";
import type { Asking } from "./form_handlers.ts";
import { loadShell } from "./shell.tsx";

/** The frame of such a page. */
export interface StatusSettingsFrame {
  readonly shell: Shell;
  readonly organization: Organization;
  readonly mayHaveTokens: boolean;
}

/** Who changes the page, and who writes on it: whoever is on duty at night. */
export const MAY_CHANGE: Permission = "project:write";
export const MAY_POST: Permission = "alert:write";

/** The page opens without monitors to add when the database takes longer. */
const LIMIT_MS = 3 * SECOND_MS;

/** Path of the settings of an organization's status page. */
export function statusSettingsPath(slug: string): string {
  return `${organizationPath(slug)}/status-page`;
}

/** The frame for members who hold a permission. @throws {Denied} as `requireOrganization()` */
export async function openStatusSettings(
  ctx: Asking,
  permission: Permission,
): Promise<StatusSettingsFrame & Pick<OrganizationAccess, "role">> {
  const { organization, role } = await requireOrganization(ctx, permission);
  ctx.state.meta.title = `${t("Status page")} · ${organization.name}`;
  const shell = await loadShell(ctx);
  return { shell, organization, role, mayHaveTokens: roleAllows(role, "token:write") };
}

/** The organization's page. @throws {HttpError} 404 when it has none */
export async function requirePage({ state }: Asking, organizationId: string): Promise<StatusPage> {
  const page = await findPage(state.services.kv, organizationId);
  if (page === null) throw new HttpError(404, t("This organization has no status page yet."));
  return page;
}

/** What the settings show. */
export async function loadSettings(ctx: Asking): Promise<StatusSettingsFrame & SettingsData> {
  const { role, ...frame } = await openStatusSettings(ctx, "organization:read");
  const { organization } = frame;
  const { kv, sql, config, log } = ctx.state.services;
  const mayWrite = roleAllows(role, MAY_CHANGE);
  const page = await findPage(kv, organization.id);
  const [posts, subscribers, monitors] = await Promise.all([
    listPosts(kv, organization.id),
    countSubscribers(kv, organization.id),
    page !== null && mayWrite
      ? withTimeLimit(availableMonitors({ kv, sql }, organization.id), LIMIT_MS).catch((error) => {
        log.warn("cannot read the monitors for a status page", { error });
        return null;
      })
      : [],
  ]);
  return {
    ...frame,
    page,
    values: settingsValues(page, organization),
    refused: null,
    monitors,
    posts,
    subscribers,
    hasMail: config.smtp !== null,
    token: null,
    mayWrite,
    mayPost: roleAllows(role, MAY_POST),
    baseUrl: config.baseUrl,
    path: statusSettingsPath(organization.slug),
  };
}
