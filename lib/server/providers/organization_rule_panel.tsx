import type { ProviderButton } from "./provider_buttons.tsx";
import { t } from "../../core/language/translate.ts";
import { Button } from "../../ui/components/button.tsx";
import { type FormErrors, Select } from "../../ui/components/fields.tsx";
import { Panel } from "../../ui/components/panel.tsx";

interface OrganizationRuleProps {
  readonly providers: readonly ProviderButton[];
  /** Id of the one that is required; null: none. */
  readonly signInBy: string | null;
  readonly mayWrite: boolean;
  readonly errors: FormErrors;
}

/** By which provider members have to sign in; nothing where there is no provider. */
export function OrganizationRulePanel(props: OrganizationRuleProps) {
  const { providers, signInBy, mayWrite, errors } = props;
  if (providers.length === 0 && signInBy === null) return null;
  const name = providers.find(({ id }) => id === signInBy)?.name ?? null;
  return (
    <Panel
      title={t("Single sign-on")}
      id="single-sign-on"
      description={t(
        "Members see this organization only when they have signed in with this provider. Those who run the instance always see it, and tokens go on.",
      )}
    >
      {mayWrite
        ? (
          <form method="post" class="flex flex-wrap items-end gap-3">
            <Select
              name="provider"
              label={t("Required provider")}
              value={signInBy ?? ""}
              error={errors.provider}
              options={[
                { value: "", label: t("none: any way to sign in") },
                ...providers.map((each) => ({ value: each.id, label: each.name })),
              ]}
            />
            <Button name="action" value="provider">{t("Save")}</Button>
          </form>
        )
        : <p class="text-muted">{name ?? t("none: any way to sign in")}</p>}
    </Panel>
  );
}
