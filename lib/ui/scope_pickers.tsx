import { type Message, message, t } from "../core/language/translate.ts";
import { formatDate, formatMinute, formatTime, zoneName, zoneOffsetMs } from "./format_time.ts";
import { HiddenFields } from "./components/fields.tsx";
import { classes, Icon, type IconName } from "./components/icon.tsx";
import { Button, Menu, MENU_ITEM_LOOK } from "./components/button.tsx";
import {
  type CustomRange,
  DEFAULT_RANGE,
  type ExtraParams,
  paramsOf,
  RANGE_PRESETS,
  type RangePreset,
  type Scope,
  scopedHref,
  scopeParams,
} from "./scope.ts";

export interface ScopePickersProps {
  readonly scope: Scope;
  /** Path of the page, to which the forms and links lead. */
  readonly path: string;
  /** Other parameters of the page to carry on, such as the search. @default {} */
  readonly keep?: ExtraParams;
  /** What there is to choose from; what is chosen already is listed in any case. */
  readonly environments: readonly string[];
  readonly releases: readonly string[];
  /** On pages that obey it. */
  readonly services?: readonly string[];
}

/** Environment, release, service where it matters, and time of a page: menus of plain links and GET forms. */
export function ScopePickers(
  { scope, path, keep = {}, environments, releases, services }: ScopePickersProps,
) {
  const common = { scope, path, keep };
  return (
    <div
      class="relative flex min-w-0 flex-wrap items-center gap-1.5 lg:flex-nowrap xl:shrink-0"
      role="group"
      aria-label={t("Scope@@page")}
    >
      <ValuePicker
        {...common}
        name="environment"
        label={t("Environment")}
        all={t("All environments")}
        icon="filter"
        options={environments}
      />
      <ValuePicker
        {...common}
        name="release"
        label={t("Release")}
        all={t("All releases")}
        icon="filter"
        options={releases}
      />
      {services && (
        <ValuePicker
          {...common}
          name="service"
          label={t("Service")}
          all={t("All services")}
          icon="filter"
          options={services}
        />
      )}
      <RangePicker {...common} />
    </div>
  );
}

type Common = Pick<Required<ScopePickersProps>, "scope" | "path" | "keep">;

const SEARCH_LABELS = {
  environment: message("Search environments"),
  release: message("Search releases"),
  service: message("Search services"),
} as const;

const NONE_YET = {
  environment: message("Nothing has named any environment yet."),
  release: message("Nothing has named any release yet."),
  service: message("Nothing has named any service yet."),
} as const;

const FIELDS = {
  environment: "environments",
  release: "releases",
  service: "services",
} as const;

interface ValuePickerProps extends Common {
  readonly name: keyof typeof FIELDS;
  readonly label: string;
  readonly all: string;
  readonly icon: IconName;
  readonly options: readonly string[];
}

/** On phones the panel aligns with the row of pickers, since under its button it would leave the page. */
const MENU_LOOK = "min-w-0 max-md:static";
const BUTTON_LOOK =
  "inline-flex h-7 max-w-44 items-center gap-1.5 rounded-md border px-2 text-sm hover:bg-hover";
/** From here on a search narrows the list. */
const SEARCH_FROM = 8;

function ValuePicker({ scope, path, keep, name, label, all, icon, options }: ValuePickerProps) {
  const field = FIELDS[name];
  const chosen = scope[field];
  const listed = [...chosen, ...options.filter((option) => !chosen.includes(option))];
  const text = chosen.length === 0
    ? all
    : chosen.length === 1
    ? chosen[0]
    : t("{n} chosen|{n} chosen", { n: chosen.length });
  const listId = `scope-${name}`;
  return (
    <Menu
      class={MENU_LOOK}
      label={`${label}: ${text}`}
      buttonClass={classes(
        BUTTON_LOOK,
        chosen.length > 0 ? "border-accent text-accent" : "border-line-strong",
      )}
      button={
        <>
          <Icon name={icon} size={14} class="text-muted max-sm:hidden" />
          <span class="truncate">
            <bdi>{text}</bdi>
          </span>
          <Icon name="chevron-down" size={12} class="text-muted" />
        </>
      }
      panelClass="w-64"
    >
      <form action={path}>
        <HiddenFields pairs={[...scopeParams({ ...scope, [field]: [] }), ...paramsOf(keep)]} />
        {listed.length >= SEARCH_FROM && (
          <input
            type="search"
            aria-label={t(SEARCH_LABELS[name])}
            placeholder={t("Search")}
            data-filter={listId}
            class="mb-1 hidden h-8 w-full rounded-md border border-line-strong bg-surface px-2 scripted:block"
          />
        )}
        {listed.length === 0
          ? (
            <p class="px-2 py-1.5 text-sm text-muted">
              {t(NONE_YET[name])}
            </p>
          )
          : (
            <ul id={listId} class="max-h-72 overflow-y-auto">
              {listed.map((option) => (
                <li key={option} data-filter-text={option.toLowerCase()}>
                  <label class={MENU_ITEM_LOOK}>
                    <input
                      type="checkbox"
                      name={name}
                      value={option}
                      checked={chosen.includes(option)}
                      class="size-4 shrink-0 accent-accent-fill"
                    />
                    <bdi class="min-w-0 truncate" title={option}>{option}</bdi>
                  </label>
                </li>
              ))}
            </ul>
          )}
        <div class="mt-1 flex items-center justify-between gap-2 border-t border-line p-1 pt-2">
          <a class="link text-sm" href={scopedHref(path, { ...scope, [field]: [] }, keep)}>
            {all}
          </a>
          <Button size="sm" kind="primary">{t("Apply")}</Button>
        </div>
      </form>
    </Menu>
  );
}

const RANGE_NAMES: Record<RangePreset, Message> = {
  "15m": message("Last 15 minutes"),
  "1h": message("Last hour"),
  "24h": message("Last 24 hours"),
  "7d": message("Last 7 days"),
  "14d": message("Last 14 days"),
  "30d": message("Last 30 days"),
};

const SHORT_UNITS = {
  m: message("{n} min"),
  h: message("{n} h"),
  d: message("{n} d"),
} as const;

/** A preset in few signs, for links in a row: `24 h`; anything else as it is. */
export function shortRange(range: string): string {
  const [, n, unit] = /^(\d+)([mhd])$/.exec(range) ?? [];
  if (n === undefined || !isUnit(unit)) return range;
  return t(SHORT_UNITS[unit], { n: Number(n) });
}

function isUnit(text: string | undefined): text is keyof typeof SHORT_UNITS {
  return text !== undefined && text in SHORT_UNITS;
}

function RangePicker({ scope, path, keep }: Common) {
  const { range } = scope;
  const text = rangeName(range);
  const custom = typeof range === "string" ? null : range;
  const zone = zoneName(custom?.start);
  return (
    <Menu
      class={MENU_LOOK}
      label={t("Time: {text}", { text })}
      align="right"
      buttonClass={classes(
        "inline-flex h-7 items-center gap-1.5 rounded-md border px-2 text-sm hover:bg-hover",
        range === DEFAULT_RANGE ? "border-line-strong" : "border-accent text-accent",
      )}
      button={
        <>
          <Icon name="clock" size={14} class="text-muted max-sm:hidden" />
          <span class="whitespace-nowrap">{text}</span>
          <Icon name="chevron-down" size={12} class="text-muted" />
        </>
      }
      panelClass="w-64"
    >
      <ul>
        {RANGE_PRESETS.map((preset) => (
          <li key={preset}>
            <a
              href={scopedHref(path, { ...scope, range: preset }, keep)}
              aria-current={preset === range ? "true" : undefined}
              class={classes(MENU_ITEM_LOOK, preset === range && "font-medium")}
            >
              <span class="flex-1">{t(RANGE_NAMES[preset])}</span>
              {preset === range && <Icon name="check" size={14} class="text-accent" />}
            </a>
          </li>
        ))}
      </ul>
      <form action={path} class="mt-1 space-y-2 border-t border-line p-2">
        <HiddenFields
          pairs={[...scopeParams({ ...scope, range: DEFAULT_RANGE }), ...paramsOf(keep)]}
        />
        <TimeField
          name="start"
          label={t("From ({zone})", { zone })}
          value={custom?.start ?? null}
          isRequired
        />
        <TimeField
          name="end"
          label={t("To ({zone}, empty for now)", { zone })}
          value={custom?.end ?? null}
        />
        <Button size="sm" kind="primary">{t("Apply")}</Button>
      </form>
    </Menu>
  );
}

interface TimeFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value: Date | null;
  readonly isRequired?: boolean;
}

function TimeField({ name, label, value, isRequired = false }: TimeFieldProps) {
  return (
    <label class="block text-sm">
      <span class="block text-meta text-muted">{label}</span>
      <input
        type="datetime-local"
        name={name}
        value={value === null ? undefined : localMinutes(value)}
        required={isRequired}
        class="h-8 w-full rounded-md border border-line-strong bg-surface px-2"
      />
    </label>
  );
}

/** As fields of dates have it, in the reader's time zone. */
function localMinutes(date: Date): string {
  return new Date(date.getTime() + zoneOffsetMs(date)).toISOString().slice(0, 16);
}

/** `Last 24 hours`, `2026-03-01 10:00 – 11:30 UTC`, `Since 2026-03-01 10:00 UTC`. */
function rangeName(range: RangePreset | CustomRange): string {
  if (typeof range === "string") return t(RANGE_NAMES[range]);
  if (!range.end) return t("Since {time}", { time: formatMinute(range.start) });
  const start = `${formatDate(range.start)} ${formatTime(range.start)}`;
  const isSameDay = formatDate(range.start) === formatDate(range.end);
  const end = formatMinute(range.end);
  return `${start} – ${isSameDay ? end.replace(/^\S+ /, "") : end}`;
}
