import { join } from "node:path";

export interface TempDir extends AsyncDisposable {
  readonly path: string;
  /** A path below it. */
  join(...parts: string[]): string;
}

/** An empty folder that is removed with all that is in it. */
export async function tempDir(): Promise<TempDir> {
  const path = await Deno.makeTempDir({ prefix: "watchpost-test-" });
  return {
    path,
    join: (...parts) => join(path, ...parts),
    [Symbol.asyncDispose]: () => Deno.remove(path, { recursive: true }),
  };
}
