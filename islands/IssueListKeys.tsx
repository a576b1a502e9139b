import { useEffect, useRef, useState } from "preact/hooks";

const ROW_LINKS = "tr a.row-link";
const BOXES = "input[type=checkbox][name=issue]";

export interface IssueListKeysProps {
  /** Whether the rows have boxes. */
  readonly isSelectable: boolean;
}

/**
 * The keyboard of the issue list (`j` `k` to move, `x` to choose, `o` to open, `/` to search), a box that
 * chooses all rows, and how many are chosen. The list works without it.
 */
export default function IssueListKeys({ isSelectable }: IssueListKeysProps) {
  const all = useRef<HTMLInputElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);

  useEffect(() => {
    const count = () => {
      const boxes = [...document.querySelectorAll<HTMLInputElement>(BOXES)];
      const checked = boxes.filter((box) => box.checked).length;
      setChosen(checked);
      if (all.current) {
        all.current.checked = checked > 0 && checked === boxes.length;
        all.current.indeterminate = checked > 0 && checked < boxes.length;
      }
    };
    const onChange = (event: Event) => {
      if (event.target instanceof Element && event.target.matches(BOXES)) count();
    };
    count();
    document.addEventListener("change", onChange);
    document.addEventListener("keydown", onKey);
    // The back button brings the page with its boxes as they were left.
    globalThis.addEventListener("pageshow", count);
    return () => {
      document.removeEventListener("change", onChange);
      document.removeEventListener("keydown", onKey);
      globalThis.removeEventListener("pageshow", count);
    };
  }, []);

  const chooseAll = (isChecked: boolean) => {
    const boxes = document.querySelectorAll<HTMLInputElement>(BOXES);
    for (const box of boxes) box.checked = isChecked;
    setChosen(isChecked ? boxes.length : 0);
  };

  if (!isSelectable) return <span hidden />;
  if (chosen === null) return <span class="text-sm text-muted">Chosen issues:</span>;
  return (
    <label class="flex items-center gap-3 text-sm text-muted">
      <input
        ref={all}
        type="checkbox"
        aria-label="Choose all issues of this page"
        class="size-4 accent-accent-fill"
        onChange={(event) => chooseAll(event.currentTarget.checked)}
      />
      <span class="min-w-18 tabular-nums">{chosen === 0 ? "Choose all" : `${chosen} chosen`}</span>
    </label>
  );
}

function onKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const links = [...document.querySelectorAll<HTMLAnchorElement>(ROW_LINKS)];
  const current = links.findIndex((link) => link.closest("tr")?.contains(document.activeElement));
  switch (event.key) {
    case "j":
      move(links, current + 1);
      break;
    case "k":
      move(links, current === -1 ? 0 : current - 1);
      break;
    case "x":
      links[current]?.closest("tr")?.querySelector<HTMLInputElement>(BOXES)?.click();
      break;
    case "o":
      links[current]?.click();
      break;
    case "/":
      document.querySelector<HTMLInputElement>("input[name=query]")?.focus();
      break;
    default:
      return;
  }
  event.preventDefault();
}

function move(links: readonly HTMLAnchorElement[], index: number): void {
  const link = links[Math.min(Math.max(index, 0), links.length - 1)];
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));
}
