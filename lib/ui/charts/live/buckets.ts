import type { ChartProps } from "../chart_data.ts";

/** The bucket whose middle is nearest to an instant in ms; null without buckets. */
export function bucketAt({ times, bucketMs }: ChartProps, at: number): number | null {
  let nearest: number | null = null;
  let least = Infinity;
  times.forEach((time, bucket) => {
    const distance = Math.abs(time + bucketMs / 2 - at);
    if (distance >= least) return;
    nearest = bucket;
    least = distance;
  });
  return nearest;
}

/**
 * The bucket that a key leads to.
 *
 * @param bucket where the cursor is; null for nowhere
 * @param count how many buckets there are, at least one
 * @returns null to take the cursor away, undefined for keys that mean nothing here
 */
export function bucketAfterKey(
  key: string,
  bucket: number | null,
  count: number,
): number | null | undefined {
  switch (key) {
    case "ArrowLeft":
      return bucket === null ? count - 1 : Math.max(0, bucket - 1);
    case "ArrowRight":
      return bucket === null ? 0 : Math.min(count - 1, bucket + 1);
    case "Home":
      return 0;
    case "End":
      return count - 1;
    case "Escape":
      return null;
    default:
      return undefined;
  }
}
