import { statfs } from "node:fs/promises";
import { join } from "node:path";

/** A file system of its own that is small enough to be filled. */
export interface SmallDisk extends AsyncDisposable {
  readonly path: string;
  /** Takes all room but a few megabytes. */
  fill(): Promise<void>;
  /** Gives it back. */
  makeRoom(): Promise<void>;
}

const LEFT_BYTES = 8_000_000;

/** Mounts a file system in memory; null where that is not allowed. */
export async function smallDisk(sizeMb: number): Promise<SmallDisk | null> {
  if (Deno.build.os !== "linux") return null;
  const path = await Deno.makeTempDir({ prefix: "watchpost-disk-" });
  if (!await succeeds("mount", ["-t", "tmpfs", "-o", `size=${sizeMb}m`, "tmpfs", path])) {
    await Deno.remove(path);
    return null;
  }
  const filler = join(path, "filler");
  return {
    path,
    async fill() {
      const { bavail, bsize } = await statfs(path);
      if (!await succeeds("fallocate", ["-l", String(bavail * bsize - LEFT_BYTES), filler])) {
        throw new Error("Cannot fill the disk");
      }
    },
    makeRoom: () => Deno.remove(filler),
    async [Symbol.asyncDispose]() {
      if (!await succeeds("umount", [path])) throw new Error(`${path} is still in use`);
      await Deno.remove(path);
    },
  };
}

async function succeeds(command: string, args: string[]): Promise<boolean> {
  try {
    const { success } = await new Deno.Command(command, { args, stderr: "null" }).output();
    return success;
  } catch {
    return false;
  }
}
