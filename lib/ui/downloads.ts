/** What of a stranger's file may be shown inside our pages. Judged by its bytes, never by what it says it is. */

/** Pictures that no browser runs anything in; SVG is not among them. */
const IMAGES: readonly (readonly [type: string, magic: readonly (number | null)[]])[] = [
  ["image/png", [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]],
  ["image/jpeg", [0xff, 0xd8, 0xff]],
  ["image/gif", [0x47, 0x49, 0x46, 0x38]],
  ["image/webp", [0x52, 0x49, 0x46, 0x46, null, null, null, null, 0x57, 0x45, 0x42, 0x50]],
];

/** The type of a harmless picture, or null for everything else. */
export function imageType(bytes: Uint8Array): string | null {
  const found = IMAGES.find(([, magic]) =>
    magic.every((byte, index) => byte === null || bytes[index] === byte)
  );
  return found?.[0] ?? null;
}

/** Characters of a text that are shown. */
export const MAX_PREVIEW_BYTES = 65_536;

/** The beginning of a text file, or null for what is no text. */
export function textPreview(bytes: Uint8Array): string | null {
  const head = bytes.subarray(0, MAX_PREVIEW_BYTES);
  if (head.includes(0)) return null;
  const text = new TextDecoder().decode(head);
  // What is no Unicode, and control characters other than white space.
  const odd = [...text.matchAll(/\ufffd|(?!\s)\p{Cc}/gu)].length;
  return odd > text.length / 50 + 3 ? null : text;
}

/** `Content-Disposition` for a download under a name that a stranger chose (RFC 6266). */
export function disposition(filename: string): string {
  const plain = filename.replace(/[^\x20-\x7e]|["\\%]/g, "_");
  const encoded = encodeURIComponent(filename.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${encoded}`;
}
