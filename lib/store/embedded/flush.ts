import { closeSync, fsyncSync, openSync } from "node:fs";

/** Waits until a file, or the list of names in a folder, is on the disk. */
export function flush(path: string): void {
  // Windows flushes only what was opened for writing, and keeps a journal of names by itself.
  if (Deno.build.os === "windows") return;
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
