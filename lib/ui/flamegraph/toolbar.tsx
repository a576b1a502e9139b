import { type Message, message, t } from "../../core/language/translate.ts";
import type { RefObject } from "preact";
import { Menu, MENU_ITEM_LOOK } from "../components/button.tsx";
import { classes, Icon, type IconName } from "../components/icon.tsx";
import { formatCount } from "../format.ts";
import type { FlameAddress } from "./address.ts";
import { COLOUR_CLASSES, type ColourMode, legendOf } from "./colours.ts";
import type { FlameTree } from "./flame_tree.ts";
import { foundTotal } from "./functions.ts";
import type { ExportLink, FlameSettings } from "./settings.ts";
import type { Graph } from "./use_graph.ts";
import { shareText } from "./words.ts";

interface ToolbarProps {
  readonly graph: Graph;
  readonly settings: FlameSettings;
  readonly searchField: RefObject<HTMLInputElement>;
  /** The view was moved by hand. */
  readonly isMoved: boolean;
  readonly hrefOfTab: (tab: FlameAddress["tab"]) => string;
  readonly onReset: () => void;
  readonly onStep: (step: 1 | -1) => void;
  /** Gives the keyboard to the graph. */
  readonly onLeaveSearch: () => void;
  readonly onPng: () => void;
}

/** Search, colours, order and zoom of the graph. */
export function Toolbar(props: ToolbarProps) {
  const { graph, settings, isMoved, hrefOfTab, onReset, onPng } = props;
  const { address, change, zoomed } = graph;
  const isGraph = address.tab === "graph";
  return (
    <div class="flame-toolbar">
      <ViewTabs current={address.tab} hrefOf={hrefOfTab} onChoose={(tab) => change({ tab })} />
      <SearchBar {...props} />
      {isGraph && <ColourChoice graph={graph} />}
      {settings.timeOrder !== null && <OrderChoice {...{ graph, settings }} />}
      <label class="flame-check">
        <input
          type="checkbox"
          class="size-4 accent-accent-fill"
          checked={address.collapsesRecursion}
          onChange={({ currentTarget }) => change({ collapsesRecursion: currentTarget.checked })}
        />
        {t("Fold recursion")}
      </label>
      {address.hidden.length > 0 && (
        <button
          type="button"
          class="flame-tool"
          onClick={() => change({ hidden: [] })}
        >
          {t("Show {n} hidden function|Show {n} hidden functions", { n: address.hidden.length })}
        </button>
      )}
      {isGraph && (zoomed > 0 || isMoved) && (
        <button type="button" class="flame-tool" title={t("Esc or 0")} onClick={onReset}>
          {t("Reset zoom")}
        </button>
      )}
      <div class="ml-auto flex gap-x-3">
        {isGraph && <KeyHelp />}
        {isGraph
          ? <ExportMenu links={settings.exports} onPng={onPng} />
          : <ExportMenu links={settings.exports} />}
      </div>
    </div>
  );
}

interface ChoiceProps {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, label: string])[];
  readonly onChoose: (value: string) => void;
  readonly class?: string;
}

/** A choice of one in the bar. */
function Choice({ label, value, options, onChoose, class: extra }: ChoiceProps) {
  return (
    <label class="flame-check">
      <span class="text-muted max-sm:sr-only">{label}</span>
      <select
        class={classes("flame-select", extra)}
        value={value}
        onChange={({ currentTarget }) => onChoose(currentTarget.value)}
      >
        {options.map(([each, name]) => <option key={each} value={each}>{name}</option>)}
      </select>
    </label>
  );
}

function ColourChoice({ graph: { colourMode, tree, change } }: Pick<ToolbarProps, "graph">) {
  return (
    <Choice
      label={t("Colour by")}
      value={colourMode}
      options={[
        ...tree.base === null ? [] : [["diff", t("change@@colour")]] as const,
        ["package", t("package@@colour")],
        ["own", t("own code")],
      ]}
      onChoose={(mode) => change({ colour: mode as ColourMode })}
    />
  );
}

function OrderChoice({ graph, settings }: Pick<ToolbarProps, "graph" | "settings">) {
  const threads = settings.timeOrder?.threads ?? [];
  const { thread } = graph.address;
  const show = (thread: string | null) => graph.change({ thread, path: [] });
  return (
    <>
      <Choice
        label={t("Order")}
        value={thread === null ? "weight" : "time"}
        options={[["weight", t("left heavy")], ["time", t("in order of time")]]}
        onChoose={(order) => show(order === "time" ? threads[0]?.id ?? null : null)}
      />
      {thread !== null && (
        <Choice
          label={t("Thread")}
          value={thread}
          options={threads.map(({ id, name }) => [id, name || id] as const)}
          onChoose={show}
          class="max-w-48"
        />
      )}
    </>
  );
}

const KEYS = [
  [message("Click, Enter"), message("zoom to a box")],
  [message("Esc, 0"), message("reset the zoom")],
  [message("Ctrl + wheel, + −"), message("zoom")],
  [message("Drag, Shift + wheel"), message("move")],
  [message("Arrows"), message("go from box to box")],
  [message("Right click, Shift F10"), message("menu of a box")],
  [message("/"), message("search")],
  [message("n, N"), message("next, previous match")],
] as const;

function KeyHelp() {
  return (
    <Menu
      align="right"
      label={t("Keys@@keyboard")}
      buttonClass="flame-tool max-md:hidden"
      panelClass="w-76 p-3"
      button={<Icon name="info" size={14} />}
    >
      <dl class="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
        {KEYS.map(([keys, meaning]) => (
          <div key={keys} class="contents">
            <dt class="font-medium">{t(keys)}</dt>
            <dd class="text-muted">{t(meaning)}</dd>
          </div>
        ))}
      </dl>
    </Menu>
  );
}

/** Search among the functions: how much of what is in view is spent in them, and the way from one to the next. */
function SearchBar(
  { graph, searchField, onStep, onLeaveSearch }: Pick<
    ToolbarProps,
    "graph" | "searchField" | "onStep" | "onLeaveSearch"
  >,
) {
  const { address, change, search } = graph;
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Enter") onStep(event.shiftKey ? -1 : 1);
    else if (event.key === "ArrowDown") onLeaveSearch();
    else if (event.key === "Escape") {
      change({ find: "" });
      onLeaveSearch();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div class="flex min-w-0 items-center gap-2 max-md:basis-full" role="search">
      <input
        ref={searchField}
        type="search"
        value={address.find}
        aria-label={t("Search functions")}
        aria-invalid={search.kind === "invalid"}
        placeholder={t("Search functions ( / )")}
        title={t("Part of a function, file or module, or /a regular expression/")}
        class="h-7 w-52 min-w-0 rounded-md border border-line-strong bg-surface px-2 text-sm max-md:flex-1"
        onInput={({ currentTarget }) => change({ find: currentTarget.value })}
        onKeyDown={onKeyDown}
      />
      {search.kind !== "none" && (
        <>
          <span class="text-meta whitespace-nowrap text-muted tabular-nums" role="status">
            {resultOf(graph)}
          </span>
          <Step label={t("Previous match (N)")} icon="chevron-up" onPress={() => onStep(-1)} />
          <Step label={t("Next match (n)")} icon="chevron-down" onPress={() => onStep(1)} />
        </>
      )}
    </div>
  );
}

function resultOf({ search, found, tree, zoomed }: Graph): string {
  if (search.kind === "invalid") return search.message;
  if (found === null || found.nodes.length === 0) return t("no match");
  const share = shareText(foundTotal(tree, found, zoomed), tree.totals[zoomed] ?? 0);
  return t("{share} in {count} box|{share} in {count} boxes", {
    n: found.nodes.length,
    share,
    count: formatCount(found.nodes.length),
  });
}

function Step({ label, icon, onPress }: {
  readonly label: string;
  readonly icon: IconName;
  readonly onPress: () => void;
}) {
  return (
    <button type="button" aria-label={label} title={label} class="flame-tool" onClick={onPress}>
      <Icon name={icon} size={14} />
    </button>
  );
}

const TABS = [["graph", message("Flame graph")], ["table", message("Table")]] as const;

interface ViewTabsProps {
  readonly current: FlameAddress["tab"];
  readonly hrefOf: (tab: FlameAddress["tab"]) => string;
  /** What the script does instead of following the link. */
  readonly onChoose?: (tab: FlameAddress["tab"]) => void;
}

/** Chooses between the picture and the table, by links that work without script. */
export function ViewTabs({ current, hrefOf, onChoose }: ViewTabsProps) {
  return (
    <ul class="flame-tabs" aria-label={t("View")}>
      {TABS.map(([tab, label]) => (
        <li key={tab}>
          <a
            href={hrefOf(tab)}
            aria-current={tab === current ? "true" : undefined}
            class={classes("flame-tab", tab === current && "flame-tab-current")}
            onClick={onChoose && ((event) => {
              if (event.ctrlKey || event.metaKey || event.shiftKey) return;
              event.preventDefault();
              onChoose(tab);
            })}
          >
            {t(label)}
          </a>
        </li>
      ))}
    </ul>
  );
}

interface ExportMenuProps {
  readonly links: readonly ExportLink[];
  /** Saves what is drawn as a picture; only script can. */
  readonly onPng?: () => void;
}

/** Downloads of the graph. */
export function ExportMenu({ links, onPng }: ExportMenuProps) {
  if (links.length === 0 && onPng === undefined) return null;
  return (
    <Menu
      align="right"
      buttonClass="flame-tool"
      button={
        <>
          {t("Export")}
          <Icon name="chevron-down" size={14} />
        </>
      }
    >
      <ul>
        {links.map(({ label, href }) => (
          <li key={label}>
            <a href={href} download="" class={MENU_ITEM_LOOK}>{label}</a>
          </li>
        ))}
        {onPng && (
          <li>
            <button type="button" class={MENU_ITEM_LOOK} onClick={onPng}>
              {t("Picture (PNG)")}
            </button>
          </li>
        )}
      </ul>
    </Menu>
  );
}

const MEANINGS: Readonly<Record<ColourMode, Message>> = {
  package: message("Colours: packages, those with most self first"),
  own: message("Colours: whose code it is"),
  diff: message("Colours: change of the total; widths: both sides together"),
};

/** What the colours mean. */
export function Legend({ tree, mode }: { readonly tree: FlameTree; readonly mode: ColourMode }) {
  return (
    <ul class="flame-legend" aria-label={t(MEANINGS[mode])}>
      {legendOf(tree, mode).map(({ label, colour }) => (
        <li key={label} class="flex min-w-0 items-center gap-1.5">
          <svg width="10" height="10" class="shrink-0" aria-hidden="true">
            <rect width="10" height="10" rx="2" class={COLOUR_CLASSES[colour]} />
          </svg>
          <bdi class="min-w-0 truncate" title={label}>{label}</bdi>
        </li>
      ))}
    </ul>
  );
}
