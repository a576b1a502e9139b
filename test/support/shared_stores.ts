/** Stores that several processes use at the same time: Postgres and S3 as the TEST_* variables name them, and `denokv`. */
import { findDenoKv, startDenoKv } from "./denokv.ts";
import { type ServerStores, serverStores } from "./server_stores.ts";

const denokv = await findDenoKv();
const areThere = ["TEST_DATABASE_URL", "TEST_S3_ENDPOINT"].every((name) => Deno.env.get(name));
if (!areThere) {
  console.warn("skipped: several instances need TEST_DATABASE_URL and TEST_S3_ENDPOINT");
}

/** Whether they can be had here; a line has said what is missing. */
export const hasSharedStores: boolean = denokv !== null && areThere;

/** Fresh ones. @param isMigrated as of `serverStores()` */
export async function sharedStores(isMigrated = true): Promise<ServerStores> {
  await using made = new AsyncDisposableStack();
  const kv = made.use(await startDenoKv(denokv ?? ""));
  const stores = made.use(await serverStores(isMigrated));
  const all = made.move();
  return {
    dataDir: stores.dataDir,
    env: { ...stores.env, ...kv.env },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}
