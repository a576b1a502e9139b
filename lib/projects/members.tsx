import { HttpError } from "fresh";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import {
  findEvenDisabled,
  isRole,
  type Member,
  removeMember,
  type Role,
  roleChangeProblem,
  ROLES,
  setRole,
} from "../accounts/members.ts";
import { roleLabel } from "../accounts/roles.ts";
import { type Team, teamRoleOf } from "../accounts/teams.ts";
import { MIN_PASSWORD_LENGTH, type User } from "../accounts/users.ts";
import { message, t } from "../core/language/translate.ts";
import { Avatar, Badge } from "../ui/components/badge.tsx";
import { Button } from "../ui/components/button.tsx";
import {
  checkConfirmation,
  CONFIRM_FIELD,
  ConfirmByName,
  Field,
  type FormErrors,
  FormSummary,
  type Option,
  Select,
} from "../ui/components/fields.tsx";
import { actionOf, attempt, fieldOf, type FormRefusal, unknownForm } from "../ui/form.ts";

interface MemberRowProps {
  readonly member: Member;
  /** It is the person who looks at the page. */
  readonly isSelf: boolean;
  /** Role of who looks at the page. */
  readonly by: Role;
  /** Those that the member is in, everybody's aside. */
  readonly teams: readonly Team[];
  /** Signs in with more than a password. */
  readonly hasSecondFactor: boolean;
  /** What was wrong with the form sent for this member. */
  readonly errors: FormErrors;
}

/** One member: who, in which role, and what can be changed. */
export function MemberRow(props: MemberRowProps) {
  const { member, isSelf, by, teams, hasSecondFactor, errors } = props;
  const { user, role } = member;
  const options = rolesToChoose(by, role, isSelf);
  const mayRemove = isSelf || roleChangeProblem({ by, isSelf, from: role, to: null }) === null;
  const { [CONFIRM_FIELD]: confirmError, ...roleErrors } = errors;
  return (
    <li class="border-b border-line px-4 py-3 last:border-b-0">
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Avatar name={user.name} size={32} />
        <div class="min-w-40 flex-1">
          <p class="font-medium wrap-anywhere">
            {user.name} {isSelf && <Badge>{t("you")}</Badge>}
          </p>
          <p class="text-sm text-muted wrap-anywhere">{user.email}</p>
          {teams.length > 0 && (
            <p class="text-sm text-muted wrap-anywhere">
              {teams.map((team) => (
                teamRoleOf(team, user.id) === "admin"
                  ? t("#{team} (team admin)", { team: team.slug })
                  : `#${team.slug}`
              )).join(", ")}
            </p>
          )}
        </div>
        <Badge tone={hasSecondFactor ? "ok" : "neutral"}>
          {hasSecondFactor ? t("second factor") : t("no second factor")}
        </Badge>
        {options.length > 1
          ? <RoleForm member={member} roles={options} />
          : <Badge title={roleHelp(role)}>{roleLabel(role)}</Badge>}
      </div>
      {Object.keys(roleErrors).length > 0 && (
        <div class="mt-2">
          <FormSummary errors={roleErrors} idPrefix={`${user.id}-`} />
        </div>
      )}
      {mayRemove && (
        <div class="mt-2 sm:pl-12">
          <ConfirmByName
            name={user.email}
            action={isSelf ? t("Leave the organization") : t("Remove")}
            size="sm"
            idPrefix={`${user.id}-`}
            fields={{ action: "remove", user: user.id }}
            error={confirmError}
            consequence={isSelf
              ? t(
                "You lose sight of all its projects at once. Somebody else has to invite you again.",
              )
              : t(
                "{name} loses sight of all projects of this organization at once. The account stays.",
                { name: user.name },
              )}
          />
        </div>
      )}
    </li>
  );
}

/** The roles that may be chosen for somebody, theirs included. */
function rolesToChoose(by: Role, from: Role, isSelf: boolean): readonly Role[] {
  return ROLES.filter((to) => to === from || roleChangeProblem({ by, isSelf, from, to }) === null);
}

function RoleForm({ member: { user, role }, roles }: {
  readonly member: Member;
  readonly roles: readonly Role[];
}) {
  return (
    <form method="post" class="flex items-center gap-2">
      <input type="hidden" name="user" value={user.id} />
      <Select
        name="role"
        idPrefix={`${user.id}-`}
        size="sm"
        aria-label={t("Role of {name}", { name: user.name })}
        value={role}
        options={roleOptions(roles)}
      />
      <Button name="action" value="role" size="sm">{t("Save")}</Button>
    </form>
  );
}

type MemberOutcome =
  | { readonly kind: "done"; readonly text: string; readonly hasLeft: boolean }
  | Refused & { readonly kind: "refused"; readonly userId: string };

type Refused = Pick<FormRefusal, "errors" | "status">;

/**
 * Does what a form of the members page asks for.
 *
 * @param access of the person who sent it
 * @throws {HttpError} 400 for a form that this page does not have, 404 for who is no member, whoever else there is
 */
export async function actOnMembers(
  kv: Deno.Kv,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const member = await findEvenDisabled(kv, access.organization.id, fieldOf(form, "user"));
  if (member === null) throw new HttpError(404, t("This person is not a member."));
  return await actionOf({ role: changeRole, remove }, form)(kv, access, member.user, form);
}

async function changeRole(
  kv: Deno.Kv,
  access: OrganizationAccess,
  user: User,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const role = roleIn(form);
  const result = await attempt(() => setRole(kv, access, access.organization.id, user.id, role));
  return result.ok
    ? done(t("{name}: {role} now.", { name: user.name, role: roleLabel(role) }))
    : refused(user.id, result);
}

async function remove(
  kv: Deno.Kv,
  access: OrganizationAccess,
  user: User,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const problem = checkConfirmation(form, user.email);
  if (problem !== null) {
    return refused(user.id, { errors: { [CONFIRM_FIELD]: problem }, status: 422 });
  }
  const { id, name } = access.organization;
  const result = await attempt(() => removeMember(kv, access, id, user.id));
  if (!result.ok) return refused(user.id, result);
  return access.userId === user.id
    ? { kind: "done", text: t("You have left {team}.", { team: name }), hasLeft: true }
    : done(t("{name} is no longer a member.", { name: user.name }));
}

function roleIn(form: URLSearchParams): Role {
  const role = fieldOf(form, "role");
  if (!isRole(role)) throw unknownForm();
  return role;
}

function done(text: string): MemberOutcome {
  return { kind: "done", text, hasLeft: false };
}

function refused(userId: string, { errors, status }: Refused): MemberOutcome {
  return { kind: "refused", userId, errors, status };
}

/** What each role may do, in a sentence. */
export function roleHelp(role: Role): string {
  return t(ROLE_HELP[role]);
}

const ROLE_HELP = {
  viewer: message("Looks at everything, changes nothing."),
  member: message("Works on issues, sees DSNs, has API tokens."),
  admin: message("Also creates projects and keys, and decides about members and viewers."),
  manager: message("Also decides about teams, admins and the settings of the organization."),
  owner: message("Also decides about owners, single sign-on and the end of the organization."),
} as const satisfies Record<Role, string>;

/** Roles to choose from, in their order. */
export function roleOptions(roles: readonly Role[] = ROLES): readonly Option[] {
  return roles.map((role) => {
    const label = roleLabel(role);
    return { value: role, label: label.charAt(0).toUpperCase() + label.slice(1) };
  });
}

interface AccountFieldsProps {
  readonly values: { readonly name: string; readonly email: string };
  readonly errors: FormErrors;
}

/** What a new account needs: name, mail address and password. */
export function AccountFields({ values, errors }: AccountFieldsProps) {
  return (
    <>
      <Field
        name="name"
        label={t("Your name")}
        value={values.name}
        error={errors.name}
        maxLength={64}
        autocomplete="name"
        required
      />
      <Field
        name="email"
        label={t("Email")}
        type="email"
        value={values.email}
        error={errors.email}
        autocomplete="username"
        required
      />
      <Field
        name="password"
        label={t("Password")}
        type="password"
        error={errors.password}
        help={t("At least {n} characters, such as four or five unrelated words.", {
          n: MIN_PASSWORD_LENGTH,
        })}
        autocomplete="new-password"
        required
      />
    </>
  );
}
