import { configurationOf, forgetConfiguration } from "../../accounts/providers/protocol.ts";
import type { Provider } from "../../accounts/providers/provider.ts";
import { ProviderFailure } from "../../accounts/providers/provider_fetch.ts";
import { t } from "../../core/language/translate.ts";
import { redirectWithFlash } from "../../ui/cookies.ts";
import type { Services } from "../services.ts";

/** What follows after a provider was saved: its page, which says whether the provider can be reached. */
export async function savedFlash(services: Services, provider: Provider): Promise<Response> {
  const path = `/instance/sign-in/${provider.id}`;
  const problem = await problemOf(services, provider);
  return problem === null
    ? redirectWithFlash(path, t("{provider} is saved. Test it now.", { provider: provider.name }))
    : redirectWithFlash(
      path,
      t("It is saved, but cannot be used yet: {problem}", { problem }),
      "warning",
    );
}

async function problemOf(services: Services, provider: Provider): Promise<string | null> {
  forgetConfiguration(services, provider);
  try {
    await configurationOf(services, provider);
    return null;
  } catch (error) {
    if (error instanceof ProviderFailure) return error.message;
    throw error;
  }
}
