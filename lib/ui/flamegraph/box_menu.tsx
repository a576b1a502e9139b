import { t } from "../../core/language/translate.ts";
import { useEffect, useRef } from "preact/hooks";
import { MENU_ITEM_LOOK } from "../components/button.tsx";
import { Icon } from "../components/icon.tsx";
import { formatCount } from "../format.ts";
import { fileOf, nameOf, placeOf } from "./frames.ts";
import { hashOfFrame } from "./path.ts";
import { filledLink, type FlameSettings, sourceHref } from "./settings.ts";
import type { Graph } from "./use_graph.ts";
import type { BoxFacts } from "./words.ts";

interface BoxMenuProps {
  readonly graph: Graph;
  readonly settings: FlameSettings;
  readonly node: number;
  /** Place in the window. */
  readonly x: number;
  readonly y: number;
  readonly onZoom: () => void;
  readonly onClose: () => void;
}

/** An entry of the menu: it does something, or leads somewhere. */
interface Item {
  readonly label: string;
  readonly action: (() => void) | string;
}

/** What can be done with a box: opened by the right button, by Shift F10 and from the bar on phones. */
export function BoxMenu(props: BoxMenuProps) {
  const { graph: { tree }, node, x, y, onClose } = props;
  const menu = useRef<HTMLDivElement>(null);
  const name = nameOf(tree.frames, tree.nodeFrames[node] ?? 0);

  useEffect(() => {
    menu.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus({ preventScroll: true });
    const onDown = ({ target }: Event) => {
      if (!(target instanceof Node) || !menu.current?.contains(target)) onClose();
    };
    document.addEventListener("pointerdown", onDown, true);
    return () => document.removeEventListener("pointerdown", onDown, true);
  }, []);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape" || event.key === "Tab") onClose();
    else if (!moveFocus(menu.current, event.key)) return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={menu}
      role="menu"
      aria-label={name}
      class="flame-menu"
      style={beside(x, y)}
      onKeyDown={onKeyDown}
      onContextMenu={(event) => event.preventDefault()}
    >
      <p class="truncate px-2 py-1 font-mono text-meta text-muted" role="presentation" title={name}>
        {name}
      </p>
      {itemsOf(props).map(({ label, action }) =>
        typeof action === "string"
          ? (
            <a
              key={label}
              role="menuitem"
              tabindex={-1}
              href={action}
              class={MENU_ITEM_LOOK}
              {...(/^https?:/.test(action) && { target: "_blank", rel: "noopener noreferrer" })}
            >
              {label}
            </a>
          )
          : (
            <button
              key={label}
              type="button"
              role="menuitem"
              tabindex={-1}
              class={MENU_ITEM_LOOK}
              onClick={() => {
                action();
                onClose();
              }}
            >
              {label}
            </button>
          )
      )}
    </div>
  );
}

function itemsOf({ graph, settings: { links }, node, onZoom }: BoxMenuProps): Item[] {
  const { tree, address, change } = graph;
  const frame = tree.nodeFrames[node] ?? 0;
  if (frame === 0) return [{ label: t("Zoom to all"), action: onZoom }];
  const name = tree.frames.names[frame] ?? "";
  const at = { name, file: fileOf(tree.frames, frame), line: tree.frames.lines[frame] ?? 0 };
  const place = placeOf(tree.frames, frame);
  const hash = hashOfFrame(tree.frames, frame);
  const items: readonly (Item | { readonly label: string; readonly action: null })[] = [
    { label: t("Zoom to this box"), action: onZoom },
    { label: t("Callers and callees"), action: filledLink(links.function, at) },
    { label: t("Only stacks with this function"), action: filledLink(links.focus, at) },
    { label: t("Without stacks with this function"), action: filledLink(links.ignore, at) },
    {
      label: t("Hide this function"),
      action: () => change({ hidden: [...new Set([...address.hidden, hash])] }),
    },
    { label: t("Find this function"), action: () => change({ find: name }) },
    { label: t("Copy name"), action: () => void copyText(name) },
    {
      label: t("Copy file and line"),
      action: place === "" ? null : () => void copyText(place),
    },
    { label: t("Open source"), action: sourceHref(links, at) },
  ];
  return items.filter((item): item is Item => item.action !== null);
}

/** Returns whether the key moves among the entries. */
function moveFocus(menu: HTMLElement | null, key: string): boolean {
  const items = [...menu?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? []];
  const at = items.findIndex((item) => item === document.activeElement);
  const to = key === "ArrowDown"
    ? (at + 1) % items.length
    : key === "ArrowUp"
    ? (at - 1 + items.length) % items.length
    : key === "Home"
    ? 0
    : key === "End"
    ? items.length - 1
    : -1;
  items[to]?.focus();
  return to >= 0;
}

/** Where a card stands: beside the pointer, or, on phones, as a bar at the bottom of the window. */
export type CardPlace =
  | { readonly kind: "hover"; readonly node: number; readonly x: number; readonly y: number }
  | { readonly kind: "bar"; readonly node: number };

interface BoxCardProps {
  readonly facts: BoxFacts;
  readonly place: CardPlace;
  readonly onZoom: () => void;
  readonly onMenu: (x: number, y: number) => void;
  readonly onClose: () => void;
}

/** All figures of the box under the pointer, or of the one that was tapped. */
export function BoxCard({ facts, place, onZoom, onMenu, onClose }: BoxCardProps) {
  if (place.kind === "hover") {
    return (
      // What screen readers are to know of a box, the live text says.
      <div class="flame-card" style={beside(place.x, place.y)} aria-hidden="true">
        <Facts facts={facts} />
      </div>
    );
  }
  return (
    <div class="flame-bar" role="region" aria-label={t("Chosen box")}>
      <Facts facts={facts} />
      <div class="mt-2 flex flex-wrap gap-2">
        <button type="button" class="flame-tool" onClick={onZoom}>{t("Zoom to it")}</button>
        <button
          type="button"
          class="flame-tool"
          onClick={({ clientX, clientY }) => onMenu(clientX, clientY)}
        >
          {t("More…")}
        </button>
        <button type="button" class="flame-tool" onClick={onClose}>
          <Icon name="close" size={14} />
          {t("Close")}
        </button>
      </div>
    </div>
  );
}

function Facts({ facts: { name, place, module, figures, cut } }: { readonly facts: BoxFacts }) {
  return (
    <>
      <p class="font-mono text-sm font-semibold wrap-anywhere">
        <bdi>{name}</bdi>
      </p>
      {place !== "" && (
        <p class="text-meta text-muted wrap-anywhere">
          <bdi>{place}</bdi>
        </p>
      )}
      {module !== "" && (
        <p class="text-meta text-muted wrap-anywhere">
          <bdi>{module}</bdi>
        </p>
      )}
      <dl class="flame-figures">
        {figures.map(({ label, value, shares }) => (
          <div key={label} class="contents">
            <dt class="text-muted">{label}</dt>
            <dd class="text-right font-medium">{value}</dd>
            <dd class="text-muted">{shares}</dd>
          </div>
        ))}
      </dl>
      {cut > 0 && (
        <p class="text-meta text-muted">
          {t(
            "Zooming in brings {count} smaller box below it.|Zooming in brings {count} smaller boxes below it.",
            { n: cut, count: formatCount(cut) },
          )}
        </p>
      )}
    </>
  );
}

const GAP_PX = 14;

/** On the side of the pointer that has more room. */
function beside(x: number, y: number): Record<string, string> {
  const isRight = x > innerWidth / 2;
  const isLow = y > innerHeight / 2;
  return {
    [isRight ? "right" : "left"]: `${(isRight ? innerWidth - x : x) + GAP_PX}px`,
    [isLow ? "bottom" : "top"]: `${(isLow ? innerHeight - y : y) + GAP_PX}px`,
  };
}

/** Puts a text into the clipboard; on plain-http installs, which have none, the old way. */
async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const field = document.createElement("textarea");
    field.value = text;
    field.className = "sr-only";
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}
