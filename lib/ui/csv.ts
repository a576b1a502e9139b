/** Files for spreadsheets (RFC 4180). */

/** A line of cells, with its end. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

/** Names and reasons come from people and clients: a spreadsheet must not take one for a formula. */
function csvCell(text: string): string {
  const harmless = /^\s*[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}
