/** Links that are clicked while the service is known to be away do not leave the page. Runs in the browser. */
import { canLeave, isKnownAway } from "./page_again.ts";

/** Follows a link that could not be followed once more. */
export type FollowAgain = () => void;

/**
 * Asks whether the service is there before a link is followed, once something on the page has found it away: the
 * browser's error page would take the place of what is shown. In all other cases a click costs nothing and goes as ever.
 *
 * @param onAsked is told how to follow the link again when the service is away still, and null when it is back
 * @returns for `click` events of the document
 */
export function askBeforeFollowing(
  onAsked: (again: FollowAgain | null) => void,
): (event: MouseEvent) => void {
  let newest: HTMLAnchorElement | null = null;
  const follow = async (link: HTMLAnchorElement) => {
    newest = link;
    const isThere = await canLeave();
    // Another was clicked meanwhile.
    if (newest !== link) return;
    onAsked(isThere ? null : () => void follow(link));
    if (isThere) location.assign(link.href);
  };
  return (event) => {
    if (!isKnownAway()) return;
    const link = linkOf(event);
    if (link === null) return;
    event.preventDefault();
    void follow(link);
  };
}

/** The link that a click leaves the page by; null where it does something else, or leads out of our hands. */
function linkOf(event: MouseEvent): HTMLAnchorElement | null {
  const { target, button, defaultPrevented, altKey, ctrlKey, metaKey, shiftKey } = event;
  if (defaultPrevented || button !== 0 || altKey || ctrlKey || metaKey || shiftKey) return null;
  const link = target instanceof Element ? target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.hasAttribute("download")) return null;
  if (link.target !== "" && link.target !== "_self") return null;
  const isHere = link.pathname === location.pathname && link.search === location.search;
  return link.origin !== location.origin || isHere && link.hash !== "" ? null : link;
}
