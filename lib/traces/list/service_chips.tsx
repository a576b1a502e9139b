import { type ChartColor } from "../../ui/charts/mod.ts";
import { colorNames } from "../../ui/charts/chart_color.ts";
import { visible } from "../../ui/read.ts";

/** Colours by name of service: the same on every page of a project, as far as there are enough of them. */
export type ServiceColors = ReadonlyMap<string, ChartColor>;

const COLORS: readonly ChartColor[] = [1, 2, 3, 4, 5, 6, 7, 8];
/** More chips than this push the rest of the row away. */
const MAX_CHIPS = 3;

/**
 * Gives each service its colour.
 *
 * @param known the project's services in a fixed order
 * @param shown more of them, such as platforms in place of names
 */
export function serviceColors(known: readonly string[], shown: readonly string[]): ServiceColors {
  const names = [...new Set([...known, ...shown.toSorted()])];
  return new Map(names.map((name, place) => [name, COLORS[place % COLORS.length] ?? 1]));
}

export interface ServiceChipsProps {
  readonly services: readonly string[];
  readonly colors: ServiceColors;
}

/** Services by name and colour; those that find no room are told on hover. */
export function ServiceChips({ services, colors }: ServiceChipsProps) {
  const rest = services.slice(MAX_CHIPS);
  return (
    <span class="inline-flex items-center gap-1">
      {services.slice(0, MAX_CHIPS).map((service) => (
        <span
          key={service}
          title={visible(service)}
          class="inline-flex h-5 max-w-32 items-center gap-1 rounded-sm bg-sunken px-1.5 text-meta"
        >
          <svg width="8" height="8" class="shrink-0" aria-hidden="true">
            <rect width="8" height="8" rx="2" class={colorNames(colors.get(service), 0).fill} />
          </svg>
          <bdi class="truncate">{visible(service)}</bdi>
        </span>
      ))}
      {rest.length > 0 && (
        <span class="text-meta whitespace-nowrap text-muted" title={rest.map(visible).join(", ")}>
          {`+${rest.length}`}
          <span class="sr-only">{` more: ${rest.map(visible).join(", ")}`}</span>
        </span>
      )}
    </span>
  );
}
