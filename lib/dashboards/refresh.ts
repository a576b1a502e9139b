/** How often it is looked whether the time has come. */
const LOOK_MS = 1_000;

/**
 * Loads the page anew whenever so much time has passed, at the place where it is scrolled to. It waits while the page is
 * out of sight, and while somebody has a menu open or is in a field.
 *
 * @returns stops it
 */
export function refreshEvery(intervalMs: number): () => void {
  const began = Date.now();
  const look = () => {
    if (Date.now() - began >= intervalMs && !document.hidden && !isBusy()) location.reload();
  };
  const timer = setInterval(look, LOOK_MS);
  document.addEventListener("visibilitychange", look);
  return () => {
    clearInterval(timer);
    document.removeEventListener("visibilitychange", look);
  };
}

function isBusy(): boolean {
  return document.querySelector("details[data-menu][open]") !== null ||
    document.activeElement?.matches("input, select, textarea") === true;
}
