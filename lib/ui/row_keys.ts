/** The keyboard of lists whose rows are links. */

const ROW_LINKS = "tr a.row-link";
const BOXES = "input[type=checkbox]";

/** `j` `k` move from row to row, `x` chooses one, `o` opens it, `/` goes to the search; other keys do nothing. */
export function walkRows(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) return;
  const element = event.key === "/" ? searchField() : actOnRow(event.key);
  if (element) event.preventDefault();
}

function searchField(): HTMLElement | null {
  const field = document.querySelector<HTMLInputElement>("input[name=query]");
  field?.focus();
  return field;
}

/** Does what a key means; returns what it was done to, or null when it means nothing here. */
function actOnRow(key: string): HTMLElement | null {
  const links = [...document.querySelectorAll<HTMLAnchorElement>(ROW_LINKS)];
  const current = links.findIndex((link) => link.closest("tr")?.contains(document.activeElement));
  switch (key) {
    case "j":
      return move(links, current + 1);
    case "k":
      return move(links, current === -1 ? 0 : current - 1);
    case "x":
      return click(links[current]?.closest("tr")?.querySelector<HTMLElement>(BOXES));
    case "o":
      return click(links[current]);
    default:
      return null;
  }
}

function move(links: readonly HTMLAnchorElement[], index: number): HTMLElement | null {
  const link = links[Math.min(Math.max(index, 0), links.length - 1)];
  link?.focus();
  link?.scrollIntoView({ block: "nearest" });
  return link ?? null;
}

function click(element: HTMLElement | null | undefined): HTMLElement | null {
  element?.click();
  return element ?? null;
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));
}
