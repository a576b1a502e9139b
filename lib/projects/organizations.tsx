/** The parts of the pages on which organizations are made, changed, handed over, deleted and restored. */
import type { OrganizationAccess } from "../accounts/authorize.ts";
import type { DeletedOrganization } from "../accounts/deleted_organizations.ts";
import { type Member, type Role, transferOwnership } from "../accounts/members.ts";
import {
  type Organization,
  type OrganizationSettings,
  updateOrganization,
} from "../accounts/organizations.ts";
import { roleLabel } from "../accounts/roles.ts";
import { rich, t } from "../core/language/translate.ts";
import { Avatar, Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import {
  Checkbox,
  checkConfirmation,
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  Select,
} from "../ui/components/fields.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { ExactTime, RelativeTime } from "../ui/components/values.tsx";
import { fieldOf } from "../ui/form.ts";
import { GRACE_DAYS } from "./deletion.ts";
import { restorableUntil } from "./organization_life.ts";
import { organizationPath } from "./settings_page.tsx";

export interface NameValues {
  readonly name: string;
  readonly slug: string;
}

interface NameFieldsProps {
  readonly values: NameValues;
  readonly errors: FormErrors;
  /** It has a slug already. */
  readonly isNamed: boolean;
}

/** How an organization is called, by people and in addresses. */
export function NameFields({ values, errors, isNamed }: NameFieldsProps) {
  return (
    <>
      <FormSummary errors={errors} />
      <Field
        name="name"
        label={t("Name")}
        value={values.name}
        error={errors.name}
        maxLength={64}
        autocomplete="organization"
        required
      />
      <Field
        name="slug"
        label={t("Slug")}
        value={values.slug}
        error={errors.slug}
        help={isNamed
          ? t(
            "Stands in addresses of pages and of the API: those with the old one end with a change.",
          )
          : t("Stands in addresses of pages and of the API. Made from the name when empty.")}
        maxLength={50}
        autocomplete="off"
        required={isNamed}
        isOptional={!isNamed}
        mono
      />
    </>
  );
}

interface AccessPanelProps {
  readonly settings: OrganizationSettings;
}

/** Who sees which projects, and who joins teams. */
export function AccessPanel({ settings }: AccessPanelProps) {
  return (
    <Panel title={t("Teams and projects")}>
      <form method="post" class="max-w-2xl space-y-4">
        <Checkbox
          name="hasOpenTeams"
          label={t("Open membership of teams")}
          help={t(
            "Members join and leave teams as they like. Otherwise they ask, and the team's admins, managers and owners decide.",
          )}
          isChecked={settings.hasOpenTeams}
        />
        <Checkbox
          name="showsOnlyTeamProjects"
          label={t("Show members only the projects of their teams")}
          help={t(
            "Members and viewers do not see other projects: not on pages, in the API, in notifications, nor as assignees. Admins, managers and owners see all. Use it with closed teams, or everybody can join.",
          )}
          isChecked={settings.showsOnlyTeamProjects}
        />
        <Button name="action" value="access" kind="primary">{t("Save")}</Button>
      </form>
    </Panel>
  );
}

interface EndPanelProps {
  readonly organization: Organization;
  /** Who could become the owner: all others. */
  readonly heirs: readonly Member[];
  /** Of them who looks is an owner, and can step down. */
  readonly mayTransfer: boolean;
  readonly errors: FormErrors;
}

/** Handing the organization over, and its end. */
export function EndPanel({ organization, heirs, mayTransfer, errors }: EndPanelProps) {
  return (
    <Panel title={t("Transfer and deletion")}>
      <div class="space-y-6">
        {mayTransfer && heirs.length > 0 && (
          <form method="post" class="max-w-md space-y-3">
            <Select
              name="user"
              label={t("New owner")}
              value={heirs[0]?.userId ?? ""}
              error={errors.user}
              help={t(
                "Becomes an owner, and you become a manager. Only an owner can give it back.",
              )}
              options={heirs.map(({ user }) => ({
                value: user.id,
                label: `${user.name} (${user.email})`,
              }))}
            />
            <Button name="action" value="transfer">{t("Transfer ownership")}</Button>
          </form>
        )}
        <ConfirmByName
          name={organization.name}
          action={t("Delete organization")}
          idPrefix="delete-"
          fields={{ action: "delete" }}
          error={errors[CONFIRM_FIELD]}
          consequence={t(
            "All its projects stop taking data at once, and nobody sees them any more. An owner can restore everything for {n} day, then it is deleted for good.|All its projects stop taking data at once, and nobody sees them any more. An owner can restore everything for {n} days, then it is deleted for good.",
            { n: GRACE_DAYS },
          )}
        />
      </div>
    </Panel>
  );
}

/** An organization, and what who looks is in it. */
export interface OwnOrganization {
  readonly organization: Organization;
  readonly role: Role | null;
  readonly projects: number;
}

/** One row of the list of organizations. */
export function OrganizationRow({ organization, role, projects }: OwnOrganization) {
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-1 border-b border-line px-4 py-3 last:border-b-0">
      <Avatar name={organization.name} size={32} shape="square" />
      <div class="min-w-40 flex-1">
        <a class="link font-medium wrap-anywhere" href={organizationPath(organization.slug)}>
          {organization.name}
        </a>
        <code class="block text-meta text-muted wrap-anywhere">{organization.slug}</code>
      </div>
      {role !== null && <Badge>{roleLabel(role)}</Badge>}
      <span class="text-sm text-muted tabular-nums">
        {t("{n} project|{n} projects", { n: projects })}
      </span>
    </li>
  );
}

/** One that was deleted and can be restored. */
export function DeletedOrganizationRow({ deleted }: { readonly deleted: DeletedOrganization }) {
  const { organization, deletedAt, deletedBy, projectIds } = deleted;
  return (
    <li class="flex flex-wrap items-center gap-x-4 gap-y-2 border-b border-line px-4 py-3 last:border-b-0">
      <div class="min-w-0 grow">
        <p class="font-medium wrap-anywhere">
          {organization.name}{" "}
          <span class="text-muted tabular-nums">
            · {t("{n} project|{n} projects", { n: projectIds.length })}
          </span>
        </p>
        <p class="text-sm text-muted wrap-anywhere">
          {rich("Deleted {when} by {who}; can be restored until {until}.", {
            when: <RelativeTime date={deletedAt} />,
            who: deletedBy,
            until: <ExactTime date={restorableUntil(deleted)} />,
          })}
        </p>
      </div>
      <form method="post">
        <input type="hidden" name="organization" value={organization.id} />
        <Button name="action" value="restore" size="sm">{t("Restore")}</Button>
      </form>
    </li>
  );
}

/** What a form about the organization itself has made of it. */
export interface ChangedOrganization {
  readonly organization: Organization;
  readonly text: string;
}

/**
 * Saves name and slug, or who sees and joins what.
 *
 * @throws {InvalidInput} for a malformed name or slug, or a slug that is taken
 * @throws {Denied} 404 when it was deleted meanwhile
 */
export async function saveOrganization(
  kv: Deno.Kv,
  { organization }: Pick<OrganizationAccess, "organization">,
  form: URLSearchParams,
): Promise<ChangedOrganization> {
  const changes = form.get("action") === "access"
    ? {
      settings: {
        hasOpenTeams: form.has("hasOpenTeams"),
        showsOnlyTeamProjects: form.has("showsOnlyTeamProjects"),
      },
    }
    : { name: fieldOf(form, "name"), slug: fieldOf(form, "slug") || organization.slug };
  const changed = await updateOrganization(kv, organization.id, changes);
  return { organization: changed ?? organization, text: t("Saved.") };
}

/**
 * Hands the organization over to whom the form names.
 *
 * @returns what happened, as a sentence
 * @throws {InvalidInput} for who is chosen wrongly
 * @throws {Denied} 403 for who is no owner, 404 for who is no member
 */
export async function transferByForm(
  kv: Deno.Kv,
  { organization, userId }: Pick<OrganizationAccess, "organization" | "userId">,
  form: URLSearchParams,
): Promise<string> {
  await transferOwnership(kv, organization.id, userId ?? "", fieldOf(form, "user").slice(0, 100));
  return t("The organization is handed over. You are a manager of it now.");
}

/** The error of a deletion whose name was not typed, or null. */
export function deletionProblem(
  form: URLSearchParams,
  organization: Organization,
): FormErrors | null {
  const problem = checkConfirmation(form, organization.name);
  return problem === null ? null : { [CONFIRM_FIELD]: problem };
}
