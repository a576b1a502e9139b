import { formatDuration } from "../ui/format.ts";

/** Why something short has no samples, or one that tells little. Both in milliseconds. */
export function shorterThanInterval(ms: number, intervalMs: number): string {
  return `It took ${formatDuration(ms)}, less than the ${formatDuration(intervalMs)} between two ` +
    "samples: whether one falls into it is a matter of luck.";
}
