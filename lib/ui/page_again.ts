/**
 * Asks for a page while another is shown, to take parts of it. Runs in the browser.
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
    return (await fetch(path, { ...options, cache: "no-store" })).status < 500;
  } catch {
    return false;
  }
}
