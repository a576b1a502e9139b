import {
  createProvider,
  type Provider,
  type ProviderSettings,
} from "../../lib/accounts/providers/provider.ts";
import type { Services } from "../../lib/server/services.ts";
import { readPlace } from "../../lib/core/addresses.ts";
import type { Config } from "../../lib/core/config.ts";
import type { IdentityProvider } from "./identity_provider.ts";
import type { Answer, Visitor } from "./ui_app.ts";

const PLACE = readPlace("127.0.0.1");

/** Lets providers on this machine be reached. */
export const LOCAL_PROVIDERS: Pick<Config, "signInAllow"> = {
  signInAllow: PLACE === null ? [] : [PLACE],
};

/** Settings of a provider that only lets in whom it knows. */
export const STRICT: ProviderSettings = {
  name: "Test ID",
  isEnabled: true,
  issuer: "",
  clientId: "",
  clientAuth: "client_secret_post",
  scopes: "openid email profile",
  clockSkewSec: 30,
  isTrusted: false,
  tellsVerifiedOnly: false,
  mayCreate: false,
  domains: [],
  requiredGroup: "",
  groupsClaim: "groups",
  needsGroup: false,
  rules: [],
  endsThere: false,
};

/** Sets a provider up, as the administrator would. */
export function setUp(
  { kv, config }: Services,
  idp: Pick<IdentityProvider, "issuer" | "clientId" | "clientSecret">,
  settings: Partial<ProviderSettings> = {},
  id = "test",
): Promise<Provider> {
  return createProvider({ kv, config }, {
    id,
    kind: "oidc",
    preset: "other",
    settings: { ...STRICT, issuer: idp.issuer, clientId: idp.clientId, ...settings },
    secret: idp.clientSecret,
  });
}

/** Signs in by a provider, as a browser would. @returns what our callback answers */
export async function signInBy(
  visitor: Visitor,
  idp: IdentityProvider,
  { id = "test", next = "/projects" } = {},
): Promise<Answer> {
  const away = await visitor.get(`/sign-in/with/${id}?next=${encodeURIComponent(next)}`);
  if (away.location === null) return away;
  const back = await idp.visit(away.location);
  return await visitor.get(back.pathname + back.search);
}
