/**
 * The share of traces that a client kept, out of the first value that says one: 0 < rate <= 1. What is none of that
 * says nothing, and stands for 1.
 */
export function clientSampleRate(...sent: readonly unknown[]): number {
  for (const value of sent) {
    const rate = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
    if (typeof rate === "number" && rate > 0 && rate <= 1) return rate;
  }
  return 1;
}
