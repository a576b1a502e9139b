import { type Browser, chromium } from "playwright-core";

const CANDIDATES = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
/** No sandbox, because CI runs as root; no background networking, because tests have no network. */
const ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"];

/** Where Chromium is, or null after a line that says that its tests are skipped. */
export const CHROMIUM: string | null = findChromium();

/**
 * A headless browser; close it with `await using` or `close()`.
 *
 * @param options.hasBackForwardCache which Playwright switches off otherwise
 */
export async function openBrowser(
  { hasBackForwardCache = false } = {},
): Promise<Browser & AsyncDisposable> {
  if (CHROMIUM === null) throw new Error("Chromium is not installed");
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ARGUMENTS,
    ignoreDefaultArgs: hasBackForwardCache ? ["--disable-back-forward-cache"] : [],
  });
  return Object.assign(browser, { [Symbol.asyncDispose]: () => browser.close() });
}

function findChromium(): string | null {
  const found = CANDIDATES.find((path) => {
    try {
      return Deno.statSync(path).isFile;
    } catch {
      return false;
    }
  });
  if (found === undefined) console.warn("skipped: Chromium is not installed");
  return found ?? null;
}
