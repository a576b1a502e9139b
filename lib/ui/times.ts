import { formatDateTime, formatRelative } from "./format.ts";

/**
 * Brings the page's times up to date: `data-relative` ones are counted again, and all of them get the
 * viewer's own zone in their hover text beside UTC.
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
    const exact = `${zone.format(date)}\n${formatDateTime(date)}`;
    time.title = isRelative ? exact : `${formatRelative(date, now)}\n${exact}`;
    if (isRelative) time.textContent = formatRelative(date, now);
  }
}
