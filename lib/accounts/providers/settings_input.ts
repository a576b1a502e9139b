/** Checks what an administrator entered for a provider. */
import type { Config } from "../../core/config.ts";
import { hostOf } from "../../core/addresses.ts";
import { InvalidInput } from "../../core/errors.ts";
import { t } from "../../core/language/translate.ts";
import { isRole } from "../roles.ts";
import { checkName } from "../names.ts";
import { findOrganization } from "../organizations.ts";
import { findTeam } from "../teams.ts";
import {
  CLIENT_AUTHS,
  type GroupRule,
  type ProviderKind,
  type ProviderSettings,
} from "./provider.ts";
import { isNamed } from "./provider_fetch.ts";

/** As a form sends it. */
export interface ProviderTexts {
  readonly name: string;
  readonly isEnabled: boolean;
  readonly issuer: string;
  readonly clientId: string;
  readonly clientAuth: string;
  readonly scopes: string;
  readonly clockSkewSec: string;
  readonly isTrusted: boolean;
  readonly tellsVerifiedOnly: boolean;
  readonly mayCreate: boolean;
  readonly domains: string;
  readonly requiredGroup: string;
  readonly groupsClaim: string;
  readonly needsGroup: boolean;
  readonly rules: readonly RuleTexts[];
  readonly endsThere: boolean;
}

export interface RuleTexts {
  readonly group: string;
  readonly organizationId: string;
  readonly role: string;
  /** Slugs with commas or blanks between. */
  readonly teams: string;
}

const MAX_TEXT = 300;
const MAX_SKEW_SEC = 300;
const MAX_DOMAINS = 100;
const MAX_RULES = 200;

/**
 * Reads settings.
 *
 * @throws {InvalidInput} naming the field
 */
export async function readSettings(
  { kv, config }: { readonly kv: Deno.Kv; readonly config: Pick<Config, "signInAllow"> },
  kind: ProviderKind,
  texts: ProviderTexts,
): Promise<ProviderSettings> {
  const { isEnabled, isTrusted, tellsVerifiedOnly, mayCreate, needsGroup, endsThere } = texts;
  return {
    name: checkName("name", texts.name),
    isEnabled,
    issuer: checkIssuer(texts.issuer, config),
    clientId: checkText("clientId", texts.clientId, t("Enter the ID of the client.")),
    clientAuth: checkAuth(texts.clientAuth),
    scopes: checkScopes(texts.scopes, kind),
    clockSkewSec: checkSkew(texts.clockSkewSec),
    isTrusted,
    tellsVerifiedOnly,
    mayCreate,
    domains: checkDomains(texts.domains),
    requiredGroup: short("requiredGroup", texts.requiredGroup),
    groupsClaim: short("groupsClaim", texts.groupsClaim),
    needsGroup,
    rules: await checkRules(kv, texts.rules),
    endsThere,
  };
}

function checkIssuer(text: string, { signInAllow }: Pick<Config, "signInAllow">): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol) || url.search || url.hash || url.username) {
    throw new InvalidInput("issuer", t("Enter the issuer, an address that starts with https://."));
  }
  if (url.protocol === "http:" && !isNamed(url, signInAllow)) {
    throw new InvalidInput(
      "issuer",
      t("Plain http:// is possible for hosts that SERVICE_SIGN_IN_ALLOW names only."),
    );
  }
  // People copy the address of the document that they look at.
  return text.replace(/\/\.well-known\/openid-configuration$/, "");
}

function checkText(field: string, text: string, sentence: string): string {
  if (text === "") throw new InvalidInput(field, sentence);
  return short(field, text);
}

function short(field: string, text: string): string {
  if (text.length <= MAX_TEXT && !/[\p{Cc}]/u.test(text)) return text;
  throw new InvalidInput(field, t("Enter at most {n} characters in one line.", { n: MAX_TEXT }));
}

function checkAuth(text: string) {
  const found = CLIENT_AUTHS.find((auth) => auth === text);
  if (found === undefined) throw new InvalidInput("clientAuth", t("Choose one of the list."));
  return found;
}

function checkScopes(text: string, kind: ProviderKind): string {
  const scopes = text.split(/[\s,]+/).filter(Boolean);
  if (kind === "oidc" && !scopes.includes("openid")) {
    throw new InvalidInput("scopes", t("OpenID Connect needs the scope openid."));
  }
  return short("scopes", scopes.join(" "));
}

function checkSkew(text: string): number {
  const seconds = /^\d{1,3}$/.test(text) ? Number(text) : NaN;
  if (seconds <= MAX_SKEW_SEC) return seconds;
  throw new InvalidInput("clockSkewSec", t("Enter 0 to {n} seconds.", { n: MAX_SKEW_SEC }));
}

function checkDomains(text: string): string[] {
  const names = text.split(/[\s,;]+/).filter(Boolean).map((name) => name.replace(/^@/, ""));
  const domains = [
    ...new Set(names.map((name) => {
      const host = hostOf(name.toLowerCase());
      if (host !== null && host.includes(".")) return host;
      throw new InvalidInput("domains", t("“{name}” is no domain.", { name: name.slice(0, 100) }));
    })),
  ];
  if (domains.length <= MAX_DOMAINS) return domains;
  throw new InvalidInput("domains", t("Enter at most {n} domains.", { n: MAX_DOMAINS }));
}

async function checkRules(kv: Deno.Kv, rules: readonly RuleTexts[]): Promise<GroupRule[]> {
  const filled = rules.filter(({ group }) => group !== "");
  if (filled.length > MAX_RULES) {
    throw new InvalidInput("rules", t("Enter at most {n} rules.", { n: MAX_RULES }));
  }
  return await Promise.all(filled.map((rule) => checkRule(kv, rule)));
}

async function checkRule(kv: Deno.Kv, { group, organizationId, role, teams }: RuleTexts) {
  const organization = await findOrganization(kv, organizationId);
  if (organization === null || !isRole(role)) {
    throw new InvalidInput("rules", t("Choose an organization and a role for every group."));
  }
  const slugs = teams.split(/[\s,;#]+/).filter(Boolean);
  const found = await Promise.all(slugs.map(async (slug) => {
    const team = await findTeam(kv, organization, slug);
    if (team !== null) return team;
    throw new InvalidInput(
      "rules",
      t("{organization} has no team “{team}”.", {
        organization: organization.name,
        team: slug.slice(0, 60),
      }),
    );
  }));
  return {
    group: short("rules", group),
    organizationId: organization.id,
    role,
    teamIds: found.filter(({ isEveryone }) => !isEveryone).map(({ id }) => id),
  };
}
