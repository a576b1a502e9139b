/** An organization may want a second factor of its people. Who has none sees nothing of it but where to set one up. */
import { Denied, Detour } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { DAY_MS } from "../core/time.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, untilCommitted } from "./kv.ts";
import type { Organization } from "./organizations.ts";
import { hasSecondFactor } from "./second_factors.ts";
import type { User } from "./users.ts";

/** Where a second factor is set up. */
export const SECURITY_PATH = "/account/security";
/** Days that people may have to set one up. */
export const GRACE_DAYS = [0, 7, 14, 30] as const;

/** Of an actor what the rule looks at. */
type Asking = { readonly kind: string } | {
  readonly kind: "user";
  readonly user: User;
  readonly isStrong?: boolean;
};

/**
 * Lets those pass who have a second factor, or whose session began with what counts as one, such as single sign-on.
 * API tokens and build servers have none and pass.
 *
 * @throws {Detour} 403
 */
export async function requireSecondFactor(
  kv: Deno.Kv,
  actor: Asking,
  organization: Organization,
  now: number = Date.now(),
): Promise<void> {
  if (!await lacksSecondFactor(kv, actor, organization, now)) return;
  throw new Detour(
    403,
    t("{organization} requires a second factor. Set one up in your account first.", {
      organization: organization.name,
    }),
    SECURITY_PATH,
  );
}

/** Whether an organization shows nothing to this actor, for want of a second factor. */
export async function lacksSecondFactor(
  kv: Deno.Kv,
  actor: Asking,
  { secondFactorFrom }: Pick<Organization, "secondFactorFrom">,
  now: number = Date.now(),
): Promise<boolean> {
  if (secondFactorFrom === undefined || secondFactorFrom.getTime() > now) return false;
  if (!("user" in actor) || actor.kind !== "user" || actor.isStrong === true) return false;
  return !await hasSecondFactor(kv, actor.user.id);
}

/**
 * Requires a second factor from so many days on, or not any more.
 *
 * @param graceDays null: nobody needs one
 * @throws {Denied} 404 when there is no such organization
 */
export function setSecondFactorRule(
  kv: Deno.Kv,
  organizationId: string,
  graceDays: number | null,
  now: number = Date.now(),
): Promise<Organization> {
  return untilCommitted<Organization>("change the organization", async () => {
    const entry = await kv.get<Organization>(keyOf.organization(organizationId));
    if (entry.value === null) throw new Denied(404, t("There is no such organization."));
    const { secondFactorFrom: _, ...rest } = entry.value;
    const changed: Organization = graceDays === null
      ? rest
      : { ...rest, secondFactorFrom: new Date(now + graceDays * DAY_MS) };
    const atomic = kv.atomic().check(entry).set(entry.key, changed);
    addAudit(atomic, {
      event: "org.edit",
      organizationId,
      target: { kind: "organization", id: organizationId, label: changed.slug },
      changes: changesBetween(entry.value, changed),
    });
    return (await atomic.commit()).ok ? changed : conflict;
  });
}
