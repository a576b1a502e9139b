/** Who a provider says that somebody is: its claims, read with care. */
import { checkName, normalizeEmail } from "../names.ts";
import type { Provider } from "./provider.ts";

/** What a provider tells, as JSON. */
export type Claims = Readonly<Record<string, unknown>>;

export interface Profile {
  readonly issuer: string;
  /** Never changes and never means another person at this issuer. */
  readonly subject: string;
  /** Null when it tells none, or none that we could keep. */
  readonly email: string | null;
  /** The provider itself says so, in this very answer. */
  readonly isEmailVerified: boolean;
  /** `""` when it tells none. */
  readonly name: string;
  readonly groups: readonly string[];
  /** More groups than we read; those beyond are as if they were not. */
  readonly hasMoreGroups: boolean;
  /** Of the session there, for the logout that it tells of; null without. */
  readonly sid: string | null;
  /** When somebody proved themselves there: seconds since 1970; null when it does not say. */
  readonly authTime: number | null;
}

/** Rules name a few; more would only cost memory and a page. */
const MAX_GROUPS = 2_000;
const MAX_GROUP_LENGTH = 200;
const MAX_SUBJECT = 255;

/** The claims cannot be used: no subject, or one that is not a text. */
export class BadClaims extends Error {
  override name = "BadClaims";
}

/**
 * Reads claims.
 *
 * @param issuer the issuer that was checked, whatever the claims say
 * @throws {BadClaims}
 */
export function profileOf(provider: Provider, issuer: string, claims: Claims): Profile {
  const subject = typeof claims.sub === "number" ? String(claims.sub) : textOf(claims.sub);
  if (subject === "" || subject.length > MAX_SUBJECT) {
    throw new BadClaims("The provider tells no subject (sub) of at most 255 characters.");
  }
  const { groups, hasMore } = groupsOf(claims, provider.groupsClaim);
  const authTime = claims.auth_time;
  return {
    issuer,
    subject,
    email: normalizeEmail(textOf(claims.email)),
    isEmailVerified: isVerified(issuer, claims),
    name: nameOf(claims),
    groups,
    hasMoreGroups: hasMore,
    sid: textOf(claims.sid) || null,
    authTime: typeof authTime === "number" && Number.isFinite(authTime) ? authTime : null,
  };
}

/** A text that is `"true"` does not count: only the boolean is what the specification says. */
function isVerified(issuer: string, { email_verified, xms_edov }: Claims): boolean {
  if (email_verified === true) return true;
  // Entra says so under a name of its own, and only of domains that their tenant has proven to own.
  return URL.parse(issuer)?.host === "login.microsoftonline.com" &&
    (xms_edov === true || xms_edov === 1 || xms_edov === "1");
}

function nameOf(claims: Claims): string {
  const full = [claims.given_name, claims.family_name].map(textOf).join(" ").trim();
  const [name = ""] = [claims.name, full, claims.preferred_username].map(textOf).filter(Boolean);
  try {
    return checkName("name", [...name].slice(0, 64).join(""));
  } catch {
    return "";
  }
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

/** Values are compared exactly, so nothing is trimmed or folded. */
function groupsOf(claims: Claims, path: string): { groups: string[]; hasMore: boolean } {
  if (path === "") return { groups: [], hasMore: false };
  const value = valueAt(claims, path);
  const all = Array.isArray(value) ? value : [value];
  const groups = all.slice(0, MAX_GROUPS).filter((group): group is string =>
    typeof group === "string" && group !== "" && group.length <= MAX_GROUP_LENGTH
  );
  return { groups, hasMore: all.length > MAX_GROUPS };
}

/** A claim by its name, which may have dots (`https://example.com/groups`), else by a path of names. */
function valueAt(claims: Claims, path: string): unknown {
  if (Object.hasOwn(claims, path)) return claims[path];
  return path.split(".").reduce<unknown>(
    (value, name) =>
      typeof value === "object" && value !== null && Object.hasOwn(value, name)
        ? (value as Claims)[name]
        : undefined,
    claims,
  );
}

/** Entra lists no groups above 200, and says so; the rules would see none. */
export function hasGroupOverage(claims: Claims): boolean {
  const names = claims._claim_names;
  return typeof names === "object" && names !== null && Object.hasOwn(names, "groups");
}
