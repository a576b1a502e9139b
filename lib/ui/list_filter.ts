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
