/** How long a copy button says that it worked. */
const SAID_MS = 2_000;

/**
 * Makes `data-copy` buttons work: copies the text (or the value) of the element whose id they name and
 * sets `data-copied` on the button for a moment.
 */
export async function copyOnClick(event: Event): Promise<void> {
  const button = event.target instanceof Element
    ? event.target.closest<HTMLElement>("button[data-copy]")
    : null;
  if (button === null) return;
  const source = document.getElementById(button.dataset.copy ?? "");
  if (source === null) return;
  await writeClipboard(source);
  button.dataset.copied = "";
  setTimeout(() => delete button.dataset.copied, SAID_MS);
}

async function writeClipboard(source: HTMLElement): Promise<void> {
  const text = source instanceof HTMLInputElement ? source.value : writtenText(source);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Plain-http installs have no clipboard: the text is selected, ready for Ctrl+C.
    if (source instanceof HTMLInputElement) source.select();
    else getSelection()?.selectAllChildren(source);
  }
}

/**
 * The text as it was written. `innerText` would break a line at the end of each block and once more for the line break in
 * it; and a line break at the very end would run a command as soon as it is pasted.
 */
function writtenText(source: HTMLElement): string {
  return source.textContent.replace(/\n$/, "");
}
