import type { Permission } from "../accounts/roles.ts";
import { fieldId } from "../ui/components/field_frame.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { PERMISSION_LABELS } from "./permission_labels.ts";

export interface ScopeChoiceProps {
  readonly idPrefix: string;
  /** Those that may be chosen. */
  readonly scopes: readonly Permission[];
  readonly chosen: readonly string[];
  readonly error?: string | undefined;
}

/** The scopes of an API token as checkboxes. */
export function ScopeChoice({ idPrefix, scopes, chosen, error }: ScopeChoiceProps) {
  return (
    <fieldset id={fieldId("scopes", idPrefix)} tabindex={-1} class="outline-none">
      <legend class="mb-1 font-medium">Scopes</legend>
      <div class="grid gap-x-6 gap-y-2 sm:grid-cols-2">
        {scopes.map((scope) => (
          <label key={scope} class="flex items-start gap-2">
            <input
              type="checkbox"
              name="scopes"
              value={scope}
              checked={chosen.includes(scope)}
              class="mt-1 size-4 shrink-0 accent-accent-fill"
            />
            <span class="min-w-0">
              {PERMISSION_LABELS[scope]}
              <code class="block text-meta text-muted">{scope}</code>
            </span>
          </label>
        ))}
      </div>
      {error && (
        <p class="mt-1 flex items-center gap-1 text-sm text-danger">
          <Icon name="error" size={14} />
          {error}
        </p>
      )}
    </fieldset>
  );
}
