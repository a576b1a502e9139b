/** Asks for pages while another is shown, and whether there would be an answer. Runs in the browser. */

let isAway = false;

/** Whether the last that a part of this page has asked for found no service. Asks nothing. */
export function isKnownAway(): boolean {
  return isAway;
}

/**
 * Asks for a page, to take parts of it.
 *
 * @returns null when it cannot be had now
 */
export async function pageAgain(href: string, signal: AbortSignal): Promise<Document | null> {
  try {
    const answer = await fetch(href, { signal });
    if (!answer.ok || answer.redirected) return null;
    return new DOMParser().parseFromString(await answer.text(), "text/html");
  } catch {
    return null;
  }
}

/**
 * Whether the service can answer. A proxy that keeps the question to itself says nothing against it.
 *
 * @param path of what is cheap to answer
 */
export async function canAnswer(
  path: string,
  options: Pick<RequestInit, "signal" | "redirect">,
): Promise<boolean> {
  try {
    isAway = (await fetch(path, { ...options, cache: "no-store" })).status >= 500;
    return !isAway;
  } catch (error) {
    // Who asked has gone, and heard nothing.
    isAway ||= !(error instanceof DOMException && error.name === "AbortError");
    return false;
  }
}

/** What every page shows, so that no proxy keeps it from a browser. */
const ASKED = "/icon.svg";
/** Whoever does not answer within that is away: the page stands still meanwhile. */
const ASK_MS = 10_000;

/** Whether the service is there before the page gives way to what it answers. */
export function canLeave(): Promise<boolean> {
  // To a proxy's sign-in one goes as ever.
  return canAnswer(ASKED, { signal: AbortSignal.timeout(ASK_MS), redirect: "manual" });
}
