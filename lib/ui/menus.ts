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
