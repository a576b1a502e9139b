/**
 * Who somebody is here that a provider has sent. An address alone opens no account: whoever owns a tenant at a provider
 * may write any address into its claims, and whoever made an account here may have used an address of somebody else.
 */
import { t } from "../../core/language/translate.ts";
import { addAudit } from "../audit.ts";
import { conflict, keyOf, untilCommitted } from "../kv.ts";
import { checkName } from "../names.ts";
import { findUserByEmail, type User } from "../users.ts";
import {
  addIdentity,
  type Comer,
  findIdentity,
  linkIdentity,
  otherWaysIn,
  touchIdentity,
} from "./identities.ts";
import { ANY_GROUP, applyGroups, isInAnyGroup } from "./memberships.ts";
import type { Profile } from "./profile.ts";
import type { Provider } from "./provider.ts";

export type Arrival =
  | { readonly kind: "known"; readonly user: User }
  /** The account is new. */
  | { readonly kind: "created"; readonly user: User }
  /** An account of this verified address was connected; its password and sessions are gone. */
  | { readonly kind: "trusted"; readonly user: User }
  /** Nobody yet: who has an account may sign in to it and connect it. */
  | { readonly kind: "stranger"; readonly why: string }
  /** Not even with an account. */
  | { readonly kind: "refused"; readonly why: string };

/** What is known beside the profile. */
export interface Circumstances {
  /** A link of an invitation that holds is open in this browser. */
  readonly hasInvite: boolean;
}

/**
 * Lets somebody in by what a provider tells, makes an account where that is allowed, and makes their groups count.
 *
 * @param profile verified: see `protocol.ts`
 */
export async function arrive(
  kv: Deno.Kv,
  provider: Provider,
  profile: Profile,
  circumstances: Circumstances,
): Promise<Arrival> {
  const plan = await planArrival(kv, provider, profile, circumstances);
  const arrival = await carryOut(kv, provider, profile, plan);
  if ("user" in arrival) await applyGroups(kv, provider, arrival.user, profile.groups);
  return arrival;
}

/** What would become of somebody: also what the test of a provider shows, which changes nothing. */
export type ArrivalPlan =
  | { readonly kind: "known" | "trusted"; readonly user: User }
  | { readonly kind: "created"; readonly email: string }
  | { readonly kind: "stranger" | "refused"; readonly why: string };

/** Decides, and changes nothing. */
export async function planArrival(
  kv: Deno.Kv,
  provider: Provider,
  profile: Profile,
  { hasInvite }: Circumstances,
): Promise<ArrivalPlan> {
  if (provider.needsGroup && !isInAnyGroup(provider, profile.groups)) {
    return { kind: "refused", why: t("You are in none of the groups that may use Watchpost.") };
  }
  const known = await findIdentity(kv, profile);
  if (known !== null) return { kind: "known", user: known.user };
  const { email } = profile;
  if (email === null) {
    return { kind: "stranger", why: t("The provider does not tell your email.") };
  }
  const holder = await findUserByEmail(kv, email);
  if (holder !== null) {
    return await isTrustedFor(kv, provider, profile, holder)
      ? { kind: "trusted", user: holder }
      : { kind: "stranger", why: t("There is an account with your email already.") };
  }
  if (hasInvite) return { kind: "created", email };
  const problem = creationProblem(provider, profile, email);
  return problem === null ? { kind: "created", email } : { kind: "stranger", why: problem };
}

/**
 * Both sides must have proven the address, but for an account into which no way leads yet, as a directory makes them: nobody
 * can have prepared it for themselves. Who runs the instance is never reached by an address alone.
 */
async function isTrustedFor(
  kv: Deno.Kv,
  provider: Provider,
  profile: Profile,
  holder: User,
): Promise<boolean> {
  if (!provider.isTrusted || !profile.isEmailVerified || holder.isInstanceAdmin) return false;
  return holder.emailVerifiedAt !== undefined || (await otherWaysIn(kv, holder, null)).length === 0;
}

function creationProblem(provider: Provider, profile: Profile, email: string): string | null {
  const { mayCreate, domains, requiredGroup, tellsVerifiedOnly } = provider;
  if (!mayCreate) return t("Nobody has an account for you yet.");
  if (domains.length > 0) {
    const domain = email.slice(email.lastIndexOf("@") + 1);
    if (!domains.includes(domain)) return t("Accounts are made for other email domains only.");
    if (!profile.isEmailVerified && !tellsVerifiedOnly) {
      return t("The provider does not say that your email is verified.");
    }
  }
  if (requiredGroup !== "" && !profile.groups.includes(requiredGroup)) {
    return t("Accounts are made for members of another group only.");
  }
  return null;
}

async function carryOut(
  kv: Deno.Kv,
  provider: Provider,
  profile: Profile,
  plan: ArrivalPlan,
): Promise<Arrival> {
  const comer: Comer = { providerId: provider.id, profile };
  switch (plan.kind) {
    case "known":
      await touchIdentity(kv, comer);
      return { kind: "known", user: plan.user };
    case "created":
      return await create(kv, provider, profile, plan.email);
    case "trusted":
      await linkIdentity(kv, comer, plan.user, (atomic) => takeOver(kv, atomic, plan.user));
      return { kind: "trusted", user: plan.user };
    default:
      return { kind: plan.kind, why: plan.why };
  }
}

/** Whoever may have known the password, or is signed in, is out. */
async function takeOver(kv: Deno.Kv, atomic: Deno.AtomicOperation, user: User): Promise<void> {
  const epoch = await kv.get<number>(keyOf.sessionEpoch(user.id));
  atomic.check(epoch).set(epoch.key, (epoch.value ?? 0) + 1).delete(keyOf.credential(user.id));
}

/** Somebody may have made an account of this address, or come by this identity, at this very moment. */
async function create(
  kv: Deno.Kv,
  provider: Provider,
  profile: Profile,
  email: string,
): Promise<Arrival> {
  return await untilCommitted<Arrival>("make the account", async () => {
    const known = await findIdentity(kv, profile);
    if (known !== null) return { kind: "known", user: known.user };
    const taken = await kv.get<string>(keyOf.userByEmail(email));
    if (taken.value !== null) {
      return { kind: "stranger", why: t("There is an account with your email already.") };
    }
    const user = newUser(provider, profile, email);
    const atomic = kv.atomic().check(taken)
      .set(taken.key, user.id)
      .set(keyOf.user(user.id), user);
    addIdentity(atomic, { providerId: provider.id, profile }, user, user.createdAt);
    addAudit(atomic, {
      event: "user.create",
      organizationId: null,
      target: { kind: "user", id: user.id, label: user.email },
      changes: { provider: [null, provider.id] },
    });
    return (await atomic.commit()).ok ? { kind: "created", user } : conflict;
  });
}

/** Without a password: there is none to guess. */
function newUser(provider: Provider, profile: Profile, email: string): User {
  const { name, isEmailVerified } = profile;
  const createdAt = new Date();
  return {
    id: crypto.randomUUID(),
    email,
    name: name || checkName("name", email.slice(0, email.lastIndexOf("@")).slice(0, 64)),
    createdAt,
    isInstanceAdmin: false,
    ...provider.isTrusted && isEmailVerified ? { emailVerifiedAt: createdAt } : {},
  };
}

/** What the groups give, for the test of a provider. */
export function matchingRules({ rules }: Provider, { groups }: Profile) {
  return rules.filter(({ group }) => group === ANY_GROUP || groups.includes(group));
}
