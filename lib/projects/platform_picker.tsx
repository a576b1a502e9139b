import { fieldId } from "../ui/components/field_frame.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { PlatformTile } from "./platform_tile.tsx";
import { PLATFORMS } from "./platforms.ts";

export interface PlatformPickerProps {
  /** Id of the chosen platform, or `""`. */
  readonly value: string;
  readonly error?: string | undefined;
}

/** The choice of a platform as a field of tiles: radio buttons by another look. */
export function PlatformPicker({ value, error }: PlatformPickerProps) {
  return (
    <fieldset id={fieldId("platform")} tabindex={-1} class="outline-none">
      <legend class="mb-1 font-medium">Platform</legend>
      <div class="grid grid-cols-1 gap-2 sm:grid-cols-2 lg:grid-cols-3">
        {PLATFORMS.map(({ id, label }) => (
          <label
            key={id}
            class="flex items-center gap-2.5 rounded-md border border-line-strong px-3 py-2.5 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent"
          >
            <input
              type="radio"
              name="platform"
              value={id}
              checked={id === value}
              required
              class="size-4 accent-accent-fill outline-none"
            />
            <PlatformTile platform={id} />
            {label}
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
