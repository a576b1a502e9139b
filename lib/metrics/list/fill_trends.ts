/** Fills cells of the list that were late when it was made. Runs in the browser. */
import { pageAgain } from "../../ui/page_again.ts";

/** Between looks, in milliseconds; after the last nobody waits any more. */
const WAITS_MS = [300, 700, 1_500, 3_000, 6_000];

/**
 * Asks for the page again until what was late is there, and puts it into its cells.
 *
 * @returns stops it
 */
export function fillTrends(): () => void {
  const stopped = new AbortController();
  void fill(stopped.signal);
  return () => stopped.abort();
}

async function fill(signal: AbortSignal): Promise<void> {
  for (const wait of WAITS_MS) {
    if (lateCells().length === 0) return;
    await new Promise((resolve) => setTimeout(resolve, wait));
    if (signal.aborted) return;
    const page = await pageAgain(location.href, signal);
    if (page !== null) takeCells(page);
  }
}

function lateCells(): HTMLElement[] {
  return [...document.querySelectorAll<HTMLElement>("[data-trend-late]")];
}

function takeCells(page: Document): void {
  for (const late of lateCells()) {
    const cell = page.querySelector(`[data-trend="${CSS.escape(late.dataset.trend ?? "")}"]`);
    if (cell !== null && !cell.hasAttribute("data-trend-late")) {
      late.replaceWith(document.adoptNode(cell));
    }
  }
}
