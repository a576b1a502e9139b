import type { RefObject } from "preact";
import { Icon } from "../components/icon.tsx";
import { Menu } from "../components/menu.tsx";
import { formatQuantity } from "../format.ts";
import { ExportMenu } from "./export_menu.tsx";
import type { FlameAddress } from "./address.ts";
import type { ColourMode } from "./colours.ts";
import type { FlameSettings } from "./settings.ts";
import { ViewTabs } from "./view_tabs.tsx";
import { SearchBar } from "./search_bar.tsx";
import type { Graph } from "./use_graph.ts";

export interface ToolbarProps {
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
        Fold recursion
      </label>
      {address.hidden.length > 0 && (
        <button
          type="button"
          class="flame-tool"
          onClick={() => change({ hidden: [] })}
        >
          {`Show ${formatQuantity(address.hidden.length, "hidden function")}`}
        </button>
      )}
      {isGraph && (zoomed > 0 || isMoved) && (
        <button type="button" class="flame-tool" title="Esc or 0" onClick={onReset}>
          Reset zoom
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

function ColourChoice({ graph: { colourMode, tree, change } }: Pick<ToolbarProps, "graph">) {
  return (
    <label class="flame-check">
      <span class="text-muted max-sm:sr-only">Colour by</span>
      <select
        class="flame-select"
        value={colourMode}
        onChange={({ currentTarget }) => change({ colour: currentTarget.value as ColourMode })}
      >
        {tree.base !== null && <option value="diff">change</option>}
        <option value="package">package</option>
        <option value="own">own code</option>
      </select>
    </label>
  );
}

function OrderChoice({ graph, settings }: Pick<ToolbarProps, "graph" | "settings">) {
  const threads = settings.timeOrder?.threads ?? [];
  const first = threads[0]?.id ?? null;
  const { thread } = graph.address;
  return (
    <>
      <label class="flame-check">
        <span class="text-muted max-sm:sr-only">Order</span>
        <select
          class="flame-select"
          value={thread === null ? "weight" : "time"}
          onChange={({ currentTarget }) =>
            graph.change({ thread: currentTarget.value === "time" ? first : null, path: [] })}
        >
          <option value="weight">left heavy</option>
          <option value="time">in order of time</option>
        </select>
      </label>
      {thread !== null && (
        <label class="flame-check">
          <span class="text-muted max-sm:sr-only">Thread</span>
          <select
            class="flame-select max-w-48"
            value={thread}
            onChange={({ currentTarget }) =>
              graph.change({ thread: currentTarget.value, path: [] })}
          >
            {threads.map(({ id, name }) => <option key={id} value={id}>{name || id}</option>)}
          </select>
        </label>
      )}
    </>
  );
}

const KEYS = [
  ["Click, Enter", "zoom to a box"],
  ["Esc, 0", "reset the zoom"],
  ["Ctrl + wheel, + −", "zoom"],
  ["Drag, Shift + wheel", "move"],
  ["Arrows", "go from box to box"],
  ["Right click, Shift F10", "menu of a box"],
  ["/", "search"],
  ["n, N", "next, previous match"],
] as const;

function KeyHelp() {
  return (
    <Menu
      align="right"
      label="Keys"
      buttonClass="flame-tool max-md:hidden"
      panelClass="w-76 p-3"
      button={<Icon name="info" size={14} />}
    >
      <dl class="grid grid-cols-[auto_1fr] gap-x-3 gap-y-1 text-sm">
        {KEYS.map(([keys, meaning]) => (
          <div key={keys} class="contents">
            <dt class="font-medium">{keys}</dt>
            <dd class="text-muted">{meaning}</dd>
          </div>
        ))}
      </dl>
    </Menu>
  );
}
