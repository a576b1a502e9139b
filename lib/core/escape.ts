/**
 * A text as it stands in HTML and XML, between tags and in quoted attributes.
 *
 * What XML 1.0 cannot carry at all goes: one such character, and no reader takes the document. `>` is escaped as well,
 * since `]]>` must not stand in text.
 */
export function escape(text: string): string {
  return text.toWellFormed()
    .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, "")
    .replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}
