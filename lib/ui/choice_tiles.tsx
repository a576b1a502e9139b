import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./components/icon.tsx";

export interface ChoiceTile {
  readonly value: string;
  readonly icon: IconName;
  readonly label: string;
  readonly help: ComponentChildren;
}

export interface ChoiceTilesProps {
  readonly name: string;
  /** What is chosen, read out. */
  readonly legend: string;
  readonly tiles: readonly ChoiceTile[];
  readonly value: string;
}

/** A choice of one of a few, each with a sentence. */
export function ChoiceTiles({ name, legend, tiles, value }: ChoiceTilesProps) {
  return (
    <fieldset>
      <legend class="sr-only">{legend}</legend>
      <div class="grid gap-2 md:grid-cols-3">
        {tiles.map((tile) => (
          <label
            key={tile.value}
            class="flex cursor-pointer items-start gap-2.5 rounded-md border border-line-strong px-3 py-2 hover:bg-hover has-checked:border-accent has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name={name}
              value={tile.value}
              checked={tile.value === value}
              class="mt-1 size-4 shrink-0 accent-accent-fill"
            />
            <span class="min-w-0">
              <span class="flex items-center gap-1.5 font-medium">
                <Icon name={tile.icon} size={14} class="text-muted" />
                {tile.label}
              </span>
              <span class="block text-sm text-muted">{tile.help}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
