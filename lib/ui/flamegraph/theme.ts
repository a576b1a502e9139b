/** Calls back when the page's theme changes: by the reader's choice, or with the system. */
export function watchTheme(onChange: () => void, signal: AbortSignal): void {
  const media = matchMedia("(prefers-color-scheme: dark)");
  media.addEventListener("change", onChange, { signal });
  const choice = new MutationObserver(onChange);
  choice.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  signal.addEventListener("abort", () => choice.disconnect());
}
