import { t } from "../../core/language/translate.ts";
import {
  type MutableRef,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
} from "preact/hooks";
import { BoxCard, BoxMenu, type CardPlace } from "./box_menu.tsx";
import { boxBeside, type Direction, type FlameLayout, viewOf, wholeView } from "./layout.ts";
import type { FlameSettings } from "./settings.ts";
import {
  FlameStage,
  followPointer,
  type PointerActions,
  savePng,
  type StageElements,
} from "./stage.ts";
import type { Graph } from "./use_graph.ts";
import { boxLabel, factsOf, sentenceOf } from "./words.ts";

/** What others may ask of the stage. */
export interface StageHandle {
  readonly focus: () => void;
  readonly reveal: (node: number) => void;
  readonly showWhole: () => void;
  readonly savePng: () => void;
}

interface LiveStageProps {
  readonly graph: Graph;
  readonly settings: FlameSettings;
  readonly handle: MutableRef<StageHandle | null>;
  /** The view was moved by hand. */
  readonly onMove: () => void;
  readonly onReset: () => void;
}

interface Menu {
  readonly node: number;
  readonly x: number;
  readonly y: number;
}

/** The canvas with what follows the pointer and the keyboard. */
export function LiveStage({ graph, settings, handle, onMove, onReset }: LiveStageProps) {
  const { layout, tree, zoomed, focused, source } = graph;
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const spacer = useRef<HTMLDivElement>(null);
  const stage = useRef<FlameStage | null>(null);
  const [card, setCard] = useState<CardPlace | null>(null);
  const [menu, setMenu] = useState<Menu | null>(null);
  const [hasFocus, setHasFocus] = useState(false);
  const helpId = useId();

  const zoomTo = (node: number) => {
    setCard(null);
    graph.zoomTo(node);
    stage.current?.goTo(viewOf(layout, node));
  };
  const openMenu = (node: number, x: number, y: number) => {
    setCard(null);
    graph.focus(node);
    setMenu({ node, x, y });
  };
  const actions = useRef<PointerActions | null>(null);
  actions.current = {
    onHover: (node, { clientX: x, clientY: y }) =>
      setCard(node === null || menu !== null ? null : { kind: "hover", node, x, y }),
    onPress: (node, { pointerType }) => {
      setMenu(null);
      if (node === null) return setCard(null);
      if (pointerType === "touch" && !(card?.kind === "bar" && card.node === node)) {
        graph.focus(node);
        setCard({ kind: "bar", node });
      } else zoomTo(node);
    },
    onReset,
    onMenu: (node, { clientX, clientY }) => openMenu(node, clientX, clientY),
    onMove,
  };

  useLayoutEffect(() => {
    const elements = elementsOf(box, canvas, spacer);
    if (elements === null) return;
    const opened = new FlameStage(elements);
    stage.current = opened;
    const stop = followPointer(elements, opened, () => actions.current as PointerActions);
    return () => {
      stop();
      opened.close();
      stage.current = null;
    };
  }, []);
  const shown = useRef<{ tree: typeof tree } | null>(null);
  useLayoutEffect(() => {
    // Another tree has other widths: what was in sight is no longer at its place.
    stage.current?.goTo(viewOf(layout, zoomed), shown.current?.tree !== tree);
    shown.current = { tree };
    setCard(null);
    setMenu(null);
  }, [layout, zoomed]);
  useLayoutEffect(() => {
    const { colours, found } = graph;
    const hovered = menu?.node ?? card?.node ?? null;
    stage.current?.show({
      layout,
      colours,
      labelOf: (node, room) => boxLabel(tree, node, room),
      found,
      zoomed,
      focused,
      hovered,
      hasFocus,
    });
  }, [layout, graph.colours, graph.found, zoomed, focused, card?.node, menu?.node, hasFocus]);
  useImperativeHandle(handle, () => ({
    focus: () => box.current?.focus({ preventScroll: true }),
    reveal: (node) => stage.current?.reveal(node),
    showWhole: () => stage.current?.goTo(wholeView(layout)),
    savePng: () => stage.current && savePng(stage.current, settings.title),
  }), [layout, settings.title]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const command = commandOf(event, layout, focused, zoomed);
    switch (command?.kind) {
      case "focus":
        graph.focus(command.node);
        stage.current?.reveal(command.node);
        break;
      case "zoom":
        zoomTo(focused);
        break;
      case "scale":
        stage.current?.zoomAround(focused, command.factor);
        onMove();
        break;
      case "menu": {
        const place = stage.current?.placeOf(focused);
        if (place) openMenu(focused, place.left + Math.min(place.width / 2, 40), place.bottom);
        break;
      }
      default:
        return;
    }
    event.preventDefault();
  };

  const facts = factsOf(tree, focused, zoomed, settings.sides);
  return (
    <div class="relative">
      <div
        ref={box}
        class="flame-box flame-live"
        role="application"
        aria-roledescription={t("flame graph")}
        aria-label={settings.title}
        aria-describedby={helpId}
        aria-busy={source.loading === "loading"}
        tabindex={0}
        onKeyDown={onKeyDown}
        onFocus={() => setHasFocus(box.current?.matches(":focus-visible") ?? true)}
        onBlur={() => setHasFocus(false)}
      >
        <canvas ref={canvas} class="flame-canvas" aria-hidden="true" />
        <div ref={spacer} />
      </div>
      {source.loading === "loading" && (
        <p class="flame-loading" role="status">{t("Loading what is below…")}</p>
      )}
      <p id={helpId} class="sr-only">
        {t(
          "Arrow keys go to the caller, to what it calls and to neighbours; Enter zooms, Escape resets, Shift F10 opens a menu. The table has the same figures.",
        )}
      </p>
      <p class="sr-only" aria-live="polite">{hasFocus ? sentenceOf(facts) : ""}</p>
      {card !== null && menu === null && (
        <BoxCard
          facts={factsOf(tree, card.node, zoomed, settings.sides)}
          place={card}
          onZoom={() => zoomTo(card.node)}
          onMenu={(x, y) => openMenu(card.node, x, y)}
          onClose={() => setCard(null)}
        />
      )}
      {menu !== null && (
        <BoxMenu
          {...{ graph, settings, ...menu }}
          onZoom={() => zoomTo(menu.node)}
          onClose={() => {
            setMenu(null);
            box.current?.focus({ preventScroll: true });
          }}
        />
      )}
    </div>
  );
}

function elementsOf(
  box: { readonly current: HTMLElement | null },
  canvas: { readonly current: HTMLCanvasElement | null },
  spacer: { readonly current: HTMLElement | null },
): StageElements | null {
  return box.current && canvas.current && spacer.current && {
    box: box.current,
    canvas: canvas.current,
    spacer: spacer.current,
  };
}

/** The part of a key press that matters. */
interface Key {
  readonly key: string;
  readonly shiftKey: boolean;
}

/** What a key asks for. */
type Command =
  | { readonly kind: "focus"; readonly node: number }
  | { readonly kind: "zoom" | "reset" | "search" | "menu" | "next" | "previous" }
  | { readonly kind: "scale"; readonly factor: number };

const DIRECTIONS: Readonly<Record<string, Direction>> = {
  ArrowUp: "up",
  ArrowDown: "down",
  ArrowLeft: "left",
  ArrowRight: "right",
};
const ZOOM = 0.5;

/** What keys mean anywhere on the page. */
const PAGE_KEYS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ["Escape", { kind: "reset" }],
  ["0", { kind: "reset" }],
  ["/", { kind: "search" }],
  ["n", { kind: "next" }],
  ["N", { kind: "previous" }],
]);
/** What they mean while the graph has the focus. */
const KEYS: ReadonlyMap<string, Command> = new Map<string, Command>([
  ...PAGE_KEYS,
  ["Enter", { kind: "zoom" }],
  [" ", { kind: "zoom" }],
  ["ContextMenu", { kind: "menu" }],
  ["Shift F10", { kind: "menu" }],
  ["+", { kind: "scale", factor: ZOOM }],
  ["=", { kind: "scale", factor: ZOOM }],
  ["-", { kind: "scale", factor: 1 / ZOOM }],
]);

/**
 * What a key means while the graph has the focus.
 *
 * @param focused the box that the keyboard is at
 * @param zoomed the box that is zoomed to
 * @returns null when it means nothing here
 */
export function commandOf(
  { key, shiftKey }: Key,
  layout: FlameLayout,
  focused: number,
  zoomed: number,
): Command | null {
  const direction = DIRECTIONS[key];
  if (direction !== undefined) {
    return { kind: "focus", node: boxBeside(layout, focused, direction, zoomed) };
  }
  if (key === "Home") return { kind: "focus", node: zoomed };
  return KEYS.get(shiftKey && key === "F10" ? "Shift F10" : key) ?? null;
}

/** What a key means anywhere on the page, where nobody is typing. */
export function pageCommand(key: string): Command | null {
  return PAGE_KEYS.get(key) ?? null;
}
