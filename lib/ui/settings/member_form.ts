/** What the forms of the members page do. */
import { HttpError } from "fresh";
import type { OrganizationAccess } from "../../control/authorize.ts";
import { addMember, removeMember, setRole } from "../../control/members.ts";
import { isRole, type Role, roleChangeProblem } from "../../control/roles.ts";
import { randomHex } from "../../control/secrets.ts";
import { createUser, findUser, findUserByEmail, type User } from "../../control/users.ts";
import { checkConfirmation, CONFIRM_FIELD } from "../components/confirm_by_name.tsx";
import type { FormErrors } from "../components/form_summary.tsx";
import { attempt, fieldOf } from "../form.ts";

/** An account made for a new member; the password is shown once and kept nowhere. */
export interface CreatedAccount {
  readonly name: string;
  readonly email: string;
  readonly password: string;
}

export type MemberOutcome =
  | { readonly kind: "done"; readonly text: string; readonly hasLeft: boolean }
  | { readonly kind: "created"; readonly account: CreatedAccount }
  /** `userId` is `""` for the form that adds somebody. */
  | { readonly kind: "refused"; readonly userId: string; readonly errors: FormErrors };

/** 20 hex digits, 80 bits: to be typed once and changed. */
const PASSWORD_BYTES = 10;

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
  if (form.get("action") === "add") return await add(kv, access, form);
  const user = await findUser(kv, fieldOf(form, "user"));
  if (user === null) throw new HttpError(404, "This person has no account any more.");
  if (form.get("action") === "role") return await changeRole(kv, access, user, form);
  if (form.get("action") === "remove") return await remove(kv, access, user, form);
  throw new HttpError(400, "This form is not one that Watchpost understands.");
}

async function add(
  kv: Deno.Kv,
  access: OrganizationAccess,
  form: URLSearchParams,
): Promise<MemberOutcome> {
  const role = roleIn(form);
  const existing = await findUserByEmail(kv, fieldOf(form, "email"));
  // Judged before an account is made that could then not be added.
  const problem = roleChangeProblem({ by: access.role, isSelf: false, from: null, to: role });
  if (problem !== null) return refused("", { role: problem });
  const password = (randomHex(PASSWORD_BYTES).match(/.{4}/g) ?? []).join("-");
  const [email, name] = [fieldOf(form, "email"), fieldOf(form, "name")];
  const result = await attempt(async () => {
    const user = existing ?? await createUser(kv, { email, name, password });
    await addMember(kv, access, access.organization.id, user.id, role);
    return user;
  });
  if (!result.ok) return refused("", result.errors);
  if (existing !== null) return done(`${existing.name} is a member now.`);
  const { value: user } = result;
  return { kind: "created", account: { name: user.name, email: user.email, password } };
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
