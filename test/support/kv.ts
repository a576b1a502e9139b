import { join } from "node:path";

export interface TestKv extends AsyncDisposable {
  readonly kv: Deno.Kv;
  /** The file behind it, to be opened a second time as another process would. */
  readonly path: string;
}

/** A fresh, empty Deno KV in a temporary file. */
export async function testKv(): Promise<TestKv> {
  const dir = await Deno.makeTempDir({ prefix: "watchpost-test-kv-" });
  const path = join(dir, "kv.sqlite3");
  const kv = await Deno.openKv(path);
  return {
    kv,
    path,
    async [Symbol.asyncDispose]() {
      kv.close();
      await Deno.remove(dir, { recursive: true });
    },
  };
}
