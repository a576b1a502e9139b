import { currentTimeZone, t } from "../core/language/translate.ts";
import { formatDateTime, formatRelative, formatUtc } from "./format.ts";
import { FLASH_COOKIE, MAX_RECENT, RECENT_COOKIE } from "./cookies.ts";

/** How long a copy button says that it worked. */
const SAID_MS = 2_000;

/**
 * Makes `data-copy` buttons work: copies the text (or the value) of the element whose id they name and
 * sets `data-copied` on the button for a moment.
 */
export async function copyOnClick(event: Event): Promise<void> {
  const button = event.target instanceof Element
    ? event.target.closest<HTMLElement>("button[data-copy]")
    : null;
  if (button === null) return;
  const source = document.getElementById(button.dataset.copy ?? "");
  if (source === null) return;
  await writeClipboard(source);
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, SAID_MS);
}

async function writeClipboard(source: HTMLElement): Promise<void> {
  const text = source instanceof HTMLInputElement ? source.value : writtenText(source);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Plain-http installs have no clipboard: the text is selected, ready for Ctrl+C.
    if (source instanceof HTMLInputElement) source.select();
    else getSelection()?.selectAllChildren(source);
  }
}

/**
 * The text as it was written. `innerText` would break a line at the end of each block and once more for the line break in
 * it; and a line break at the very end would run a command as soon as it is pasted.
 */
function writtenText(source: HTMLElement): string {
  return source.textContent.replace(/\n$/, "");
}

const OPEN_MENUS = "details[data-menu][open]";

/** Closes open menus on a click outside of them. */
export function closeMenusOnClick(event: Event): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>(OPEN_MENUS)) {
    if (event.target instanceof Node && !menu.contains(event.target)) menu.open = false;
  }
}

/** Closes the open menu on Escape and gives the focus back to its button. */
export function closeMenuOnEscape(event: KeyboardEvent): void {
  if (event.key !== "Escape") return;
  const menu = document.querySelector<HTMLDetailsElement>(OPEN_MENUS);
  if (menu === null) return;
  menu.open = false;
  menu.querySelector("summary")?.focus();
}

/**
 * Narrows a list while one types: a field's `data-filter` names the list, and the items'
 * `data-filter-text` is what is searched (in lower case).
 */
export function filterOnInput(event: Event): void {
  const field = event.target;
  if (!(field instanceof HTMLInputElement) || field.dataset.filter === undefined) return;
  const list = document.getElementById(field.dataset.filter);
  if (list === null) return;
  const wanted = field.value.trim().toLowerCase();
  for (const item of list.querySelectorAll<HTMLElement>("[data-filter-text]")) {
    item.hidden = !(item.dataset.filterText ?? "").includes(wanted);
  }
}

/** Sends a form marked `data-submit-on-change` as soon as something else is chosen in it. */
export function submitOnChange(event: Event): void {
  if (!(event.target instanceof HTMLSelectElement)) return;
  const { form } = event.target;
  if (form?.dataset.submitOnChange !== undefined) form.requestSubmit();
}

const ROW_LINKS = "tr a.row-link";
const BOXES = "input[type=checkbox]";

/** `j` `k` move from row to row, `x` chooses one, `o` opens it, `/` goes to the search, letters do what says so. */
export function walkRows(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) return;
  const element = event.key === "/" ? searchField() : actOnRow(event.key) ?? actByKey(event.key);
  if (element) event.preventDefault();
}

function searchField(): HTMLElement | null {
  const field = document.querySelector<HTMLInputElement>("input[name=query]");
  field?.focus();
  return field;
}

/**
 * Does what the element whose `data-key` is this letter does: buttons and links are clicked, menus opened, fields get
 * the focus.
 */
function actByKey(key: string): HTMLElement | null {
  if (!/^[a-z]$/.test(key)) return null;
  const element = document.querySelector<HTMLElement>(`[data-key="${key}"]`);
  if (element === null || !element.matches("textarea, select")) return click(element);
  element.focus();
  element.scrollIntoView({ block: "nearest" });
  return element;
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

/** Whether keys mean what is typed. */
export function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("textarea, select, input:not([type=checkbox])"));
}

/**
 * Brings the page's times up to date: `data-relative` ones are counted again, and all of them get the
 * viewer's own zone in their hover text beside UTC. `data-local` ones are written in it.
 */
export function refreshTimes(root: ParentNode, now: Date = new Date()): void {
  const zone = new Intl.DateTimeFormat("sv-SE", {
    dateStyle: "short",
    timeStyle: "long",
  });
  for (
    const time of root.querySelectorAll<HTMLTimeElement>("time[data-relative],time[data-exact]")
  ) {
    const date = new Date(time.dateTime);
    if (Number.isNaN(date.getTime())) continue;
    const isRelative = time.hasAttribute("data-relative");
    // Without a time zone of their own, people are shown that of their browser.
    const own = currentTimeZone() === "UTC" ? zone.format(date) : formatDateTime(date);
    const exact = `${own}\n${formatUtc(date)}`;
    time.title = isRelative ? exact : `${formatRelative(date, now)}\n${exact}`;
    if (isRelative) time.textContent = formatRelative(date, now);
  }
  for (const time of root.querySelectorAll<HTMLTimeElement>("time[data-local]")) {
    const date = new Date(time.dateTime);
    if (!Number.isNaN(date.getTime())) {
      time.textContent = t("{time}, your time", { time: zone.format(date) });
    }
  }
}

const YEAR_SECONDS = 365 * 24 * 60 * 60;

/** Puts the project of the page first in the list of those looked at last, which the switcher shows. */
export function rememberProject(): void {
  const project = /^\/projects\/(\d+)(?:\/|$)/.exec(location.pathname)?.[1];
  if (project === undefined) return;
  const before = new RegExp(`(?:^|; )${RECENT_COOKIE}=([\\d.]*)`).exec(document.cookie)?.[1] ?? "";
  const recent = [project, ...before.split(".").filter((id) => id !== "" && id !== project)];
  const value = recent.slice(0, MAX_RECENT).join(".");
  document.cookie = `${RECENT_COOKIE}=${value}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax`;
}

/** Moves rows of tabs that do not fit, so that the current one is to be seen. */
export function showCurrentTabs(): void {
  for (const tab of document.querySelectorAll("nav.overflow-x-auto [aria-current=page]")) {
    const row = tab.closest("nav");
    if (row === null) continue;
    const [own, whole] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
    if (own.right > whole.right) row.scrollLeft += own.right - whole.right;
  }
}

/** A message that was shown is not shown again. */
export function forgetFlash(): void {
  document.cookie = `${FLASH_COOKIE}=; Path=${location.pathname}; Max-Age=0; SameSite=Lax`;
}
