/** What the forms of the members page do. */
import { HttpError } from "fresh";
import type { OrganizationAccess } from "../accounts/authorize.ts";
import { createInvite, withdrawInvite } from "../accounts/invites.ts";
import { removeMember, setRole } from "../accounts/members.ts";
import { isRole, type Role } from "../accounts/roles.ts";
import { findUser, type User } from "../accounts/users.ts";
import { checkConfirmation, CONFIRM_FIELD } from "../ui/components/confirm_by_name.tsx";
import type { FormErrors } from "../ui/components/form_summary.tsx";
import { attempt, fieldOf } from "../ui/form.ts";

/** An invitation just made; its token is shown once and kept nowhere. */
export interface NewInvite {
  readonly email: string;
  readonly token: string;
}

export type MemberOutcome =
  | { readonly kind: "done"; readonly text: string; readonly hasLeft: boolean }
  | { readonly kind: "invited"; readonly invite: NewInvite }
  /** `userId` is `""` for the form that invites somebody. */
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
  if (form.get("action") === "invite") return await invite(kv, access, form);
  if (form.get("action") === "withdraw") return await withdraw(kv, access, form);
  const user = await findUser(kv, fieldOf(form, "user"));
  if (user === null) throw new HttpError(404, "This person has no account any more.");
  if (form.get("action") === "role") return await changeRole(kv, access, user, form);
  if (form.get("action") === "remove") return await remove(kv, access, user, form);
  throw new HttpError(400, "This form is not one that Watchpost understands.");
}

async function invite(
  kv: Deno.Kv,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const [email, role] = [fieldOf(form, "email"), roleIn(form)];
  const result = await attempt(() =>
    createInvite(kv, access, access.organization.id, { email, role })
  );
  if (!result.ok) return refused("", result.errors);
  const { invite, token } = result.value;
  return { kind: "invited", invite: { email: invite.email, token } };
}

async function withdraw(
  kv: Deno.Kv,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const email = fieldOf(form, "email");
  const result = await attempt(() => withdrawInvite(kv, access, access.organization.id, email));
  return result.ok ? done(`${email} is no longer invited.`) : refused("", result.errors);
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
  if (!isRole(role)) throw new HttpError(400, "This form is not one that Watchpost understands.");
  return role;
}

function done(text: string): MemberOutcome {
  return { kind: "done", text, hasLeft: false };
}

function refused(userId: string, errors: FormErrors): MemberOutcome {
  return { kind: "refused", userId, errors };
}
