/** An organization may want its people signed in by a provider. Who came in otherwise is led there, and sees nothing before. */
import { Denied, Detour, InvalidInput } from "../../core/errors.ts";
import { t } from "../../core/language/translate.ts";
import { changesBetween } from "../../records/audit.ts";
import { addAudit } from "../audit.ts";
import { conflict, keyOf, untilCommitted } from "../kv.ts";
import type { Organization } from "../organizations.ts";
import type { User } from "../users.ts";
import { findProvider, type Provider, providerPath } from "./provider.ts";

/** Of an actor what the rule looks at. */
type Asking = { readonly kind: string } | {
  readonly kind: "user";
  readonly user: User;
  /** Of single sign-on: the provider that their session began by. */
  readonly provider?: string;
};

/**
 * Lets those pass whose session began by the provider that the organization wants, and who runs the instance, so that a
 * provider that fails locks nobody out. Tokens have no session and pass.
 *
 * @throws {Detour} 403
 */
export async function requireProviderOf(
  kv: Deno.Kv,
  actor: Asking,
  organization: Organization,
): Promise<void> {
  const provider = await missingProvider(kv, actor, organization);
  if (provider === null) return;
  throw new Detour(
    403,
    t("{organization} requires to sign in with {provider}.", {
      organization: organization.name,
      provider: provider.name,
    }),
    providerPath(provider.id),
  );
}

/** The provider that this actor would have to sign in by; null when they see the organization as it is. */
export async function missingProvider(
  kv: Deno.Kv,
  actor: Asking,
  { signInBy }: Pick<Organization, "signInBy">,
): Promise<Provider | null> {
  if (signInBy === undefined || !("user" in actor) || actor.kind !== "user") return null;
  if (actor.provider === signInBy || actor.user.isInstanceAdmin) return null;
  const provider = await findProvider(kv, signInBy);
  return provider?.isEnabled ? provider : null;
}

/**
 * Requires a provider, or none any more.
 *
 * @param session of who asks: they must have come in by that provider
 * @throws {InvalidInput} when they have not
 * @throws {Denied} 404 when there is no such organization
 */
export async function setProviderOf(
  kv: Deno.Kv,
  organizationId: string,
  providerId: string | null,
  session: { readonly provider?: string } | null,
): Promise<Organization> {
  if (providerId !== null && session?.provider !== providerId) {
    throw new InvalidInput(
      "provider",
      t("Sign in by a provider yourself first: that shows that it works."),
    );
  }
  return await untilCommitted<Organization>("change the organization", async () => {
    const entry = await kv.get<Organization>(keyOf.organization(organizationId));
    if (entry.value === null) throw new Denied(404, t("There is no such organization."));
    const { signInBy: _, ...rest } = entry.value;
    const changed: Organization = providerId === null ? rest : { ...rest, signInBy: providerId };
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
