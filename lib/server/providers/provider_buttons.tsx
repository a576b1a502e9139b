import { listEnabledProviders, providerPath } from "../../accounts/providers/provider.ts";
import { t } from "../../core/language/translate.ts";
import { LinkButton } from "../../ui/components/button.tsx";

/** What a button of the sign-in page shows. */
export interface ProviderButton {
  readonly id: string;
  readonly name: string;
}

/** The providers that people can sign in by. */
export async function loadProviderButtons(kv: Deno.Kv): Promise<readonly ProviderButton[]> {
  return (await listEnabledProviders(kv)).map(({ id, name }) => ({ id, name }));
}

interface ProviderButtonsProps {
  readonly providers: readonly ProviderButton[];
  /** Where to go after the sign-in: a path within this service. */
  readonly next: string;
  /** Something stands above them that they are another way of. @default false */
  readonly hasOther?: boolean;
  /** Whoever is signed in proves once more who they are. @default false */
  readonly isAgain?: boolean;
}

/** A button for each provider; nothing where there are none. */
export function ProviderButtons(props: ProviderButtonsProps) {
  const { providers, next, hasOther = false, isAgain = false } = props;
  if (providers.length === 0) return null;
  const query = `${isAgain ? "again=1&" : ""}next=${encodeURIComponent(next)}`;
  return (
    <>
      {hasOther && (
        <p class="my-4 flex items-center gap-3 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
          {t("or")}
        </p>
      )}
      <ul class="space-y-2">
        {providers.map(({ id, name }) => (
          <li key={id}>
            <LinkButton
              href={`${providerPath(id)}?${query}`}
              class="w-full justify-center"
            >
              <span class="truncate">{t("Sign in with {provider}", { provider: name })}</span>
            </LinkButton>
          </li>
        ))}
      </ul>
    </>
  );
}
