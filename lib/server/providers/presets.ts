/** Ready texts for providers that many use: what to enter, where to click there, and what to know about them. */
import type { ClientAuth, ProviderKind } from "../../accounts/providers/provider.ts";
import { type Message, message } from "../../core/language/translate.ts";

export interface Preset {
  /** Begins the provider's id. */
  readonly id: string;
  readonly kind: ProviderKind;
  /** A name that is the same in all languages; of the last one a message. */
  readonly name: string;
  /** What the field holds at first; `""`: it is different for everybody. */
  readonly issuer: string;
  /** How it looks, where it is different for everybody. */
  readonly issuerExample: string;
  readonly clientAuth: ClientAuth;
  readonly scopes: string;
  readonly groupsClaim: string;
  /** Where to click there. */
  readonly steps: Message;
  /** What to know. */
  readonly notes: Message | null;
}

const OPENID = "openid email profile";

export const PRESETS: readonly Preset[] = [
  {
    id: "google",
    kind: "oidc",
    name: "Google",
    issuer: "https://accounts.google.com",
    issuerExample: "https://accounts.google.com",
    clientAuth: "client_secret_post",
    scopes: OPENID,
    groupsClaim: "",
    steps: message(
      "Google Cloud console: APIs & Services, Credentials, Create credentials, OAuth client ID, Web application. Under OAuth consent screen choose the user type Internal, so that only people of your organization can sign in.",
    ),
    notes: message("Google tells no groups: limit new accounts to your email domains."),
  },
  {
    id: "entra",
    kind: "oidc",
    name: "Microsoft Entra",
    issuer: "",
    issuerExample: "https://login.microsoftonline.com/<tenant id>/v2.0",
    clientAuth: "client_secret_post",
    scopes: OPENID,
    groupsClaim: "roles",
    steps: message(
      "Entra admin center: App registrations, New registration, Redirect URI of the type Web. Then Certificates & secrets, New client secret: copy its value. Create App roles and assign people and groups to them under Enterprise applications.",
    ),
    notes: message(
      "Use the ID of your tenant: “common” and “organizations” let in every tenant and do not work. The claim groups has IDs in place of names, and above 200 groups none at all: roles are better. Addresses count as verified only with the optional claim xms_edov.",
    ),
  },
  {
    id: "okta",
    kind: "oidc",
    name: "Okta",
    issuer: "",
    issuerExample: "https://example.okta.com",
    clientAuth: "client_secret_basic",
    scopes: `${OPENID} groups`,
    groupsClaim: "groups",
    steps: message(
      "Okta admin console: Applications, Create App Integration, OIDC, Web Application. Then Sign On, OpenID Connect ID Token, Groups claim filter: groups, Matches regex, .*",
    ),
    notes: message(
      "With an authorization server of your own the issuer ends in /oauth2/default or its ID.",
    ),
  },
  {
    id: "keycloak",
    kind: "oidc",
    name: "Keycloak",
    issuer: "",
    issuerExample: "https://keycloak.example.com/realms/<realm>",
    clientAuth: "client_secret_basic",
    scopes: OPENID,
    groupsClaim: "groups",
    steps: message(
      "Keycloak admin console: Clients, Create client, OpenID Connect, Client authentication on. Enter the callback as Valid redirect URI; the secret is under Credentials. For groups: Client scopes, the dedicated scope, Add mapper, Group Membership, Token Claim Name groups.",
    ),
    notes: message("With Full group path the names of groups start with a slash: /developers."),
  },
  {
    id: "authentik",
    kind: "oidc",
    name: "Authentik",
    issuer: "",
    issuerExample: "https://authentik.example.com/application/o/<slug>/",
    clientAuth: "client_secret_basic",
    scopes: OPENID,
    groupsClaim: "groups",
    steps: message(
      "Authentik admin interface: Applications, Create with provider, OAuth2/OpenID, Client type Confidential. Enter the callback as Redirect URI, Strict.",
    ),
    notes: message("The issuer ends in a slash; paste it exactly. A signing key has to be chosen."),
  },
  {
    id: "gitlab",
    kind: "oidc",
    name: "GitLab",
    issuer: "https://gitlab.com",
    issuerExample: "https://gitlab.com",
    clientAuth: "client_secret_post",
    scopes: OPENID,
    groupsClaim: "groups_direct",
    steps: message(
      "GitLab: Settings of your group, of you, or of your own server (Admin area), Applications, New application. Confidential; scopes openid, profile, email.",
    ),
    notes: message(
      "On gitlab.com everybody has an account: require a group, or limit new accounts to your email domains.",
    ),
  },
  {
    id: "github",
    kind: "github",
    name: "GitHub",
    issuer: "https://github.com",
    issuerExample: "https://github.com",
    clientAuth: "client_secret_post",
    scopes: "read:user user:email",
    groupsClaim: "",
    steps: message(
      "GitHub: Settings of your organization, Developer settings, OAuth apps, New OAuth app. For a server of your own enter its address as issuer.",
    ),
    notes: message(
      "For groups add the scope read:org and enter groups as claim: organizations are acme, teams are acme/backend. An owner of the organization has to allow the app.",
    ),
  },
  {
    id: "yandex",
    kind: "yandex",
    name: "Yandex ID",
    issuer: "https://oauth.yandex.ru",
    issuerExample: "https://oauth.yandex.ru",
    clientAuth: "client_secret_post",
    scopes: "login:email login:info",
    groupsClaim: "",
    steps: message(
      "oauth.yandex.ru: Create an application, for authorization of users, Web services. Enter the callback as Redirect URI, and allow access to the email and the login, name and surname.",
    ),
    notes: message(
      "Yandex ID has no OpenID Connect and does not say whether an address is verified. With addresses of your own domain in Yandex 360, tick that it tells verified addresses only.",
    ),
  },
  {
    id: "vk",
    kind: "vk",
    name: "VK ID",
    issuer: "https://id.vk.com",
    issuerExample: "https://id.vk.com",
    clientAuth: "none",
    scopes: "email",
    groupsClaim: "",
    steps: message(
      "id.vk.com/about/business: Add an application, platform Web. Enter the host of Watchpost as base domain and the callback as trusted Redirect URL; under Access allow the email. There is no secret: the ID of the application is enough.",
    ),
    notes: message("VK ID has no OpenID Connect and does not say whether an address is verified."),
  },
  {
    id: "oidc",
    kind: "oidc",
    name: "OpenID Connect",
    issuer: "",
    issuerExample: "https://id.example.com",
    clientAuth: "client_secret_basic",
    scopes: OPENID,
    groupsClaim: "groups",
    steps: message(
      "Register Watchpost there as a web application (confidential client, authorization code flow) with the callback below.",
    ),
    notes: message(
      "Zitadel, Authelia, Dex, Ory and others: paste the issuer exactly as its discovery document has it.",
    ),
  },
];

/** The ready text of this id; that of any provider for an unknown one. */
export function presetOf(id: string): Preset {
  const found = PRESETS.find((preset) => preset.id === id) ?? PRESETS.at(-1);
  if (found === undefined) throw new Error("There are no ready texts");
  return found;
}
