import { t } from "../../core/language/translate.ts";
import type { RefObject } from "preact";
import { Icon, type IconName } from "../../ui/components/icon.tsx";
import type { TraceModel } from "./trace_model.ts";
import {
  foldAll,
  goToFound,
  search,
  type WaterfallState,
  wholeView,
  zoomBy,
  zoomTo,
} from "./waterfall_state.ts";

export interface ToolbarProps {
  readonly model: TraceModel;
  readonly state: WaterfallState;
  readonly onChange: (state: WaterfallState) => void;
  readonly searchField: RefObject<HTMLInputElement>;
  /** Gives the keyboard to the rows. */
  readonly onLeaveSearch: () => void;
}

/** Search, colours, folding and zoom of the waterfall. */
export function Toolbar(props: ToolbarProps) {
  const { model, state, onChange } = props;
  const zoom = (factor: number) => onChange(zoomBy(model, state, factor));
  return (
    <div class="trace-toolbar">
      <Search {...props} />
      <div class="flex flex-wrap items-center gap-x-4 gap-y-1 max-sm:gap-x-2">
        <label class="flex items-center gap-1.5 text-sm">
          <span class="text-muted max-sm:sr-only">{t("Colour by")}</span>
          <select
            class="h-7 rounded-md border border-line-strong bg-surface px-1"
            value={state.colourBy}
            onChange={({ currentTarget }) =>
              onChange({
                ...state,
                colourBy: currentTarget.value === "category" ? "category" : "service",
              })}
          >
            <option value="service">{t("service")}</option>
            <option value="category">{t("category")}</option>
          </select>
        </label>
        <label class="flex items-center gap-1.5 text-sm whitespace-nowrap">
          <input
            type="checkbox"
            class="size-4 accent-accent-fill"
            checked={state.showsCriticalPath}
            onChange={({ currentTarget }) =>
              onChange({ ...state, showsCriticalPath: currentTarget.checked })}
          />
          {t("Critical path")}
        </label>
        <div class="flex items-center gap-1">
          <Tool
            label={t("Fold all")}
            icon="chevron-right"
            isNamed
            onPress={() => onChange(foldAll(model, state, true))}
          />
          <Tool
            label={t("Unfold all")}
            icon="chevron-down"
            isNamed
            onPress={() => onChange(foldAll(model, state, false))}
          />
          <Tool label={t("Zoom in (+)")} icon="plus" onPress={() => zoom(0.5)} />
          <Tool label={t("Zoom out (-)")} icon="minus" onPress={() => zoom(2)} />
          <Tool
            label={t("Whole time (0)")}
            icon="clock"
            onPress={() => onChange(zoomTo(model, state, wholeView(model)))}
          />
        </div>
      </div>
    </div>
  );
}

function Search({ model, state, onChange, searchField, onLeaveSearch }: ToolbarProps) {
  const { query, found, active } = state;
  const step = (by: 1 | -1) => onChange(goToFound(model, state, by));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown") onLeaveSearch();
    else if (event.key === "Escape") {
      onChange(search(model, state, ""));
      onLeaveSearch();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="flex min-w-0 flex-1 items-center gap-2 max-md:basis-full" role="search">
      <input
        ref={searchField}
        type="search"
        value={query}
        aria-label={t("Search spans")}
        placeholder={t("Search spans ( / )")}
        title={t("Words of name, operation, service or status; is:failed")}
        class="h-7 min-w-0 flex-1 rounded-md border border-line-strong bg-surface px-2 text-sm md:max-w-72"
        onInput={({ currentTarget }) => onChange(search(model, state, currentTarget.value))}
        onKeyDown={onKeyDown}
      />
      {query.trim() !== "" && (
        <>
          <span class="text-meta whitespace-nowrap text-muted tabular-nums" role="status">
            {placeAmong(found, active)}
          </span>
          <Tool label={t("Previous match (N)")} icon="chevron-up" onPress={() => step(-1)} />
          <Tool label={t("Next match (n)")} icon="chevron-down" onPress={() => step(1)} />
          <label class="flex items-center gap-1.5 text-sm whitespace-nowrap">
            <input
              type="checkbox"
              class="size-4 accent-accent-fill"
              checked={state.showsOnlyFound}
              onChange={({ currentTarget }) =>
                onChange({ ...state, showsOnlyFound: currentTarget.checked })}
            />
            {t("Only these")}
          </label>
        </>
      )}
    </div>
  );
}

function placeAmong(found: readonly number[], active: number): string {
  if (found.length === 0) return t("no match");
  const place = found.indexOf(active) + 1;
  const total = found.length;
  return place > 0 ? t("{place} of {total}", { place, total }) : t("{n} found", { n: total });
}

function Tool({ label, icon, isNamed = false, onPress }: {
  readonly label: string;
  readonly icon: IconName;
  /** Says its name where there is room. */
  readonly isNamed?: boolean;
  readonly onPress: () => void;
}) {
  return (
    <button
      type="button"
      aria-label={label}
      title={label}
      class="inline-flex h-7 min-w-7 items-center justify-center gap-1 rounded-md border border-line bg-surface text-sm text-muted hover:bg-hover hover:text-ink"
      onClick={onPress}
    >
      <Icon name={icon} size={14} class={isNamed ? "lg:ml-1.5" : ""} />
      {isNamed && <span class="pr-2 max-lg:hidden">{label}</span>}
    </button>
  );
}
