import { HttpError } from "fresh";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import {
  isRole,
  type Member,
  removeMember,
  type Role,
  ROLES,
  setRole,
} from "../accounts/members.ts";
import { findUser, MIN_PASSWORD_LENGTH, type User } from "../accounts/users.ts";
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
import { actionOf, attempt, fieldOf, unknownForm } from "../ui/form.ts";

interface MemberRowProps {
  readonly member: Member;
  /** It is the person who looks at the page. */
  readonly isSelf: boolean;
  readonly mayWrite: boolean;
  /** What was wrong with the form sent for this member. */
  readonly errors: FormErrors;
}

/** One member: who, in which role, and what can be changed. */
export function MemberRow({ member, isSelf, mayWrite, errors }: MemberRowProps) {
  const { user, role } = member;
  const { [CONFIRM_FIELD]: confirmError, ...roleErrors } = errors;
  return (
    <li class="border-b border-line px-4 py-3 last:border-b-0">
      <div class="flex flex-wrap items-center gap-x-4 gap-y-2">
        <Avatar name={user.name} size={32} />
        <div class="min-w-40 flex-1">
          <p class="font-medium wrap-anywhere">
            {user.name} {isSelf && <Badge>you</Badge>}
          </p>
          <p class="text-sm text-muted wrap-anywhere">{user.email}</p>
        </div>
        {mayWrite ? <RoleForm member={member} /> : <Badge title={ROLE_HELP[role]}>{role}</Badge>}
      </div>
      {Object.keys(roleErrors).length > 0 && (
        <div class="mt-2">
          <FormSummary errors={roleErrors} idPrefix={`${user.id}-`} />
        </div>
      )}
      {(mayWrite || isSelf) && (
        <div class="mt-2 sm:pl-12">
          <ConfirmByName
            name={user.email}
            action={isSelf ? "Leave the organization" : "Remove"}
            size="sm"
            idPrefix={`${user.id}-`}
            fields={{ action: "remove", user: user.id }}
            error={confirmError}
            consequence={isSelf
              ? "You lose sight of all its projects at once. Somebody else has to invite you again."
              : `${user.name} loses sight of all projects of this organization at once. The account stays.`}
          />
        </div>
      )}
    </li>
  );
}

function RoleForm({ member: { user, role } }: { readonly member: Member }) {
  return (
    <form method="post" class="flex items-center gap-2">
      <input type="hidden" name="user" value={user.id} />
      <Select
        name="role"
        idPrefix={`${user.id}-`}
        size="sm"
        aria-label={`Role of ${user.name}`}
        value={role}
        options={ROLE_OPTIONS}
      />
      <Button name="action" value="role" size="sm">Save</Button>
    </form>
  );
}

type MemberOutcome =
  | { readonly kind: "done"; readonly text: string; readonly hasLeft: boolean }
  | { readonly kind: "refused"; readonly userId: string; readonly errors: FormErrors };

/**
 * Does what a form of the members page asks for.
 *
 * @param access of the person who sent it
 * @throws {HttpError} 400 for a form that this page does not have, 404 for a user that does not exist
 */
export async function actOnMembers(
  kv: Deno.Kv,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const user = await findUser(kv, fieldOf(form, "user"));
  if (user === null) throw new HttpError(404, "This person has no account any more.");
  return await actionOf({ role: changeRole, remove }, form)(kv, access, user, form);
}

async function changeRole(
  kv: Deno.Kv,
  access: OrganizationAccess,
  user: User,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const role = roleIn(form);
  const result = await attempt(() => setRole(kv, access, access.organization.id, user.id, role));
  return result.ok ? done(`${user.name} is ${role} now.`) : refused(user.id, result.errors);
}

async function remove(
  kv: Deno.Kv,
  access: OrganizationAccess,
  user: User,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const problem = checkConfirmation(form, user.email);
  if (problem !== null) return refused(user.id, { [CONFIRM_FIELD]: problem });
  const { id, name } = access.organization;
  const result = await attempt(() => removeMember(kv, access, id, user.id));
  if (!result.ok) return refused(user.id, result.errors);
  return access.userId === user.id
    ? { kind: "done", text: `You have left ${name}.`, hasLeft: true }
    : done(`${user.name} is no longer a member.`);
}

function roleIn(form: URLSearchParams): Role {
  const role = fieldOf(form, "role");
  if (!isRole(role)) throw unknownForm();
  return role;
}

function done(text: string): MemberOutcome {
  return { kind: "done", text, hasLeft: false };
}

function refused(userId: string, errors: FormErrors): MemberOutcome {
  return { kind: "refused", userId, errors };
}

/** What each role may do, in a sentence. */
export const ROLE_HELP: Readonly<Record<Role, string>> = {
  viewer: "Looks at everything, changes nothing.",
  member: "Works on issues, sees DSNs, has API tokens.",
  admin: "Also creates projects and keys, and decides about members and viewers.",
  manager: "Also decides about teams, admins and the settings of the organization.",
  owner: "Also decides about owners, single sign-on and the end of the organization.",
};

/** The roles to choose from, weakest first. */
export const ROLE_OPTIONS: readonly Option[] = ROLES.map((role) => ({
  value: role,
  label: role.charAt(0).toUpperCase() + role.slice(1),
}));

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
        label="Your name"
        value={values.name}
        error={errors.name}
        maxLength={64}
        autocomplete="name"
        required
      />
      <Field
        name="email"
        label="Mail address"
        type="email"
        value={values.email}
        error={errors.email}
        autocomplete="username"
        required
      />
      <Field
        name="password"
        label="Password"
        type="password"
        error={errors.password}
        help={`At least ${MIN_PASSWORD_LENGTH} characters, such as four or five unrelated words.`}
        autocomplete="new-password"
        required
      />
    </>
  );
}
