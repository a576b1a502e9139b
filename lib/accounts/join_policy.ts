/** How people get into an organization by themselves: by asking, or by an address of a domain that is its own. */
import { isIP } from "node:net";
import { InvalidInput } from "../core/errors.ts";
import { t } from "../core/language/translate.ts";
import { changesBetween } from "../records/audit.ts";
import { addAudit } from "./audit.ts";
import { conflict, keyOf, prefixOf, readIndex, readMany, untilCommitted } from "./kv.ts";
import { addMember, type Role, roleOf } from "./members.ts";
import type { Organization } from "./organizations.ts";
import type { User } from "./users.ts";

/** Nobody decides about them one by one, so that they get no more. */
export const JOIN_ROLES = ["viewer", "member"] as const satisfies readonly Role[];
export type JoinRole = (typeof JOIN_ROLES)[number];

export interface JoinPolicy {
  /** Whoever has an account here may ask; those who may invite decide. */
  readonly allowsRequests: boolean;
  /** Lower case. Who has confirmed an address of one of them joins without being asked for. */
  readonly domains: readonly string[];
  readonly domainRole: JoinRole;
}

const CLOSED: JoinPolicy = Object.freeze({
  allowsRequests: false,
  domains: Object.freeze([]),
  domainRole: "viewer",
});
const MAX_DOMAINS = 50;

/** The policy of an organization: closed, until somebody opens it. */
export async function joinPolicyOf(kv: Deno.Kv, organizationId: string): Promise<JoinPolicy> {
  const { value } = await kv.get<JoinPolicy>(keyOf.joinPolicy(organizationId));
  return { ...CLOSED, ...value };
}

/**
 * Changes it.
 *
 * @param entered `domains` apart by blanks, commas or lines
 * @throws {InvalidInput} for what is no domain, or one at which anybody gets an address
 */
export async function setJoinPolicy(
  kv: Deno.Kv,
  organizationId: string,
  entered: Omit<JoinPolicy, "domains"> & { readonly domains: string },
): Promise<JoinPolicy> {
  const policy: JoinPolicy = { ...entered, domains: await checkDomains(entered.domains) };
  await untilCommitted("change who may join", async () => {
    const entry = await kv.get<JoinPolicy>(keyOf.joinPolicy(organizationId));
    const before = { ...CLOSED, ...entry.value };
    const atomic = kv.atomic().check(entry).set(entry.key, policy);
    for (const domain of before.domains) atomic.delete(keyOf.joinDomain(domain, organizationId));
    for (const domain of policy.domains) {
      atomic.set(keyOf.joinDomain(domain, organizationId), organizationId);
    }
    const changes = changesBetween(before, policy);
    if (Object.keys(changes).length > 0) {
      addAudit(atomic, {
        event: "org.edit",
        organizationId,
        target: { kind: "organization", id: organizationId, label: "" },
        changes,
      });
    }
    return (await atomic.commit()).ok ? null : conflict;
  });
  return policy;
}

async function checkDomains(text: string): Promise<string[]> {
  const names = [...new Set(text.toLowerCase().split(/[\s,;]+/).filter((name) => name !== ""))]
    .map((name) => name.replace(/^@/, ""));
  if (names.length > MAX_DOMAINS) {
    throw new InvalidInput("domains", t("Enter at most {max} domains.", { max: MAX_DOMAINS }));
  }
  const publicOnes = names.length === 0 ? new Set<string>() : await publicMailDomains();
  return names.map((name) => {
    const domain = hostname(name);
    if (domain === null) {
      throw new InvalidInput(
        "domains",
        t('"{text}" is no domain: write what follows the @ of addresses.', {
          text: name.slice(0, 60),
        }),
      );
    }
    if (publicOnes.has(domain)) {
      throw new InvalidInput(
        "domains",
        t("Anybody gets an address at {domain}: enter a domain that is yours alone.", { domain }),
      );
    }
    return domain;
  });
}

/** As it stands in addresses that we keep, or null. */
function hostname(name: string): string | null {
  const isName = /^[^\s/?#@:\\%]+\.[^\s/?#@:\\%.]{2,}$/.test(name) && name.length <= 253;
  if (!isName || isIP(name) !== 0 || !URL.canParse(`http://${name}/`)) return null;
  return name;
}

let known: Promise<ReadonlySet<string>> | undefined;

/** Providers at which everybody gets an address: thousands, read when somebody enters a domain. */
function publicMailDomains(): Promise<ReadonlySet<string>> {
  return known ??= import("free-email-domains").then(({ default: list }) => new Set(list));
}

/** Whether an organization lets somebody in by the domain of their confirmed address. */
export function letsIn({ domains }: JoinPolicy, user: User): boolean {
  return user.emailVerifiedAt !== undefined && domains.includes(domainOf(user));
}

function domainOf({ email }: Pick<User, "email">): string {
  return email.slice(email.lastIndexOf("@") + 1);
}

/** The organizations that let somebody in and that they are not in yet, by name. */
export async function organizationsOpenTo(kv: Deno.Kv, user: User): Promise<Organization[]> {
  if (user.emailVerifiedAt === undefined) return [];
  const ids = await readIndex(kv, prefixOf.joinDomains(domainOf(user)));
  const found = await readMany<Organization>(kv, ids.map((id) => keyOf.organization(id)));
  const roles = await Promise.all(found.map(({ id }) => roleOf(kv, id, user.id)));
  return found.filter((_, i) => roles[i] === null).sort((a, b) => a.name < b.name ? -1 : 1);
}

/**
 * Makes somebody a member by the domain of their address.
 *
 * @throws {InvalidInput} when the organization does not let them in, or they are a member already
 */
export async function joinByDomain(
  kv: Deno.Kv,
  user: User,
  organizationId: string,
): Promise<void> {
  const policy = await joinPolicyOf(kv, organizationId);
  if (!letsIn(policy, user)) {
    throw new InvalidInput("", t("This organization lets nobody in by your address."));
  }
  // The organization has decided: nobody does now.
  const by = { role: "owner", userId: null } as const;
  await addMember(kv, by, organizationId, user.id, policy.domainRole, async (atomic) => {
    atomic.check(await stillSo(kv, organizationId, policy));
    addAudit(atomic, {
      event: "member.add",
      organizationId,
      target: { kind: "member", id: user.id, label: user.email },
      changes: { role: [null, policy.domainRole], domain: [null, domainOf(user)] },
    });
  });
}

/** The witness that nobody closes the organization at this moment. */
async function stillSo(kv: Deno.Kv, organizationId: string, policy: JoinPolicy) {
  const entry = await kv.get<JoinPolicy>(keyOf.joinPolicy(organizationId));
  if (JSON.stringify({ ...CLOSED, ...entry.value }) === JSON.stringify(policy)) return entry;
  throw new InvalidInput("", t("This organization lets nobody in by your address."));
}
