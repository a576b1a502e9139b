import type { Config } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import type { Sql } from "./database.ts";
import type { ObjectStore } from "./objects/store.ts";

/** The three stores: accounts in Deno KV, telemetry in Postgres, large bytes in the object store. */
export interface Stores {
  readonly kv: Deno.Kv;
  readonly sql: Sql;
  /** Connections of its own for the intake; those of all where it is absent. */
  readonly intakeSql?: Sql;
  readonly objects: ObjectStore;
}

/** What pages and API routes work with. */
export interface Backend extends Stores {
  readonly config: Config;
  readonly log: Logger;
  /** Aborted when the drain begins: what waits for something should end. */
  readonly stopping: AbortSignal;
}
