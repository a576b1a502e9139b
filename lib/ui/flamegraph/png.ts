import type { FlameStage } from "./stage.ts";

/** Saves all rows of the current view as a picture. */
export async function savePng(stage: FlameStage, title: string): Promise<void> {
  const blob = await stage.toPng();
  if (blob === null) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `${title.replace(/[^\p{L}\p{N}.-]+/gu, "-").slice(0, 80) || "flamegraph"}.png`;
  link.click();
  // The download has begun by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
