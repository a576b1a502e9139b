/** How the bench prints. */

/** A line of the report. */
export function figure(label: string, value: string): void {
  console.log(`  ${label.padEnd(32)} ${value}`);
}

/** A rounded number that stands in a column. */
export function rate(value: number): string {
  return Math.round(value).toLocaleString("en").padStart(7);
}
