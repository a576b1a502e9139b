/**
 * The stores of a Watchpost process under test: embedded ones in its data directory, or a database and a bucket
 * of its own where `TEST_DATABASE_URL` and `TEST_S3_ENDPOINT` name servers.
 */
import { join } from "node:path";
import { testS3Config } from "./objects.ts";
import { copyTemplate } from "./postgres_template.ts";
import { throwAwayDatabase } from "./throw_away_database.ts";

export interface ServerStores extends AsyncDisposable {
  /** A new directory; also the embedded stores live here. */
  readonly dataDir: string;
  /** Settings that lead to the external stores. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Fresh stores, which several processes may use one after the other.
 *
 * @param isMigrated whether the database has all migrations already; else it is empty, for an older version
 */
export async function serverStores(isMigrated = true): Promise<ServerStores> {
  await using made = new AsyncDisposableStack();
  const dataDir = await Deno.makeTempDir({ prefix: "watchpost-" });
  made.defer(() => Deno.remove(dataDir, { recursive: true }));
  const env: Record<string, string> = {};
  const databaseServer = Deno.env.get("TEST_DATABASE_URL");
  if (databaseServer) {
    const database = await throwAwayDatabase(databaseServer, { isMigrated });
    env.DATABASE_URL = made.use(database).url;
  } else if (isMigrated) {
    // As after a first start: making it anew takes each process longer than all else that a start does.
    await copyTemplate(join(dataDir, "postgres"));
  }
  const s3Endpoint = Deno.env.get("TEST_S3_ENDPOINT");
  if (s3Endpoint) {
    const { testBucket } = await import("./s3_bucket.ts");
    const config = testS3Config(s3Endpoint);
    made.use(await testBucket(config));
    env.S3_ENDPOINT = config.endpoint;
    env.S3_BUCKET = config.bucket;
    env.S3_REGION = config.region;
    env.AWS_ACCESS_KEY_ID = config.accessKeyId;
    env.AWS_SECRET_ACCESS_KEY = config.secretAccessKey;
  }
  const all = made.move();
  return { dataDir, env, [Symbol.asyncDispose]: () => all.disposeAsync() };
}
