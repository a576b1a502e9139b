/**
 * A database whose rows Citus has distributed, at one moment. Its servers know nothing of each other's snapshots, so all
 * of them are taken while nothing commits on several of them. Then each is read by itself, as a Postgres of its own.
 */
import { ConfigError } from "../../core/config.ts";
import { sqlStateOf } from "../../core/errors.ts";
import type { Logger } from "../../core/log.ts";
import { SECOND_MS } from "../../core/time.ts";
import { pause } from "../../core/waiting.ts";
import { connectServer, type Sql, type Transaction } from "../../store/database.ts";
import { limitIdling } from "../../store/lasting_pool.ts";
import { openSnapshot, type Snapshot } from "./snapshot.ts";

/** Writers wait so long for one attempt, and no longer: Postgres looks for deadlocks after a second. */
const HELD_MS = 900;
/** Of the attempts together: what a worker had prepared when it died is ended by Citus within a minute. */
const REST_LIMIT_MS = 180 * SECOND_MS;
const PAUSE_MS = SECOND_MS;
/** Of the moment itself: whoever hangs while writers wait loses its lock. */
const OPENING_MS = 5 * SECOND_MS;
/** Among the groups of Citus' servers. */
const COORDINATOR = 0;
const STATEMENT_TIMEOUT = "57014";
const NOT_PERMITTED = "42501";

interface ShardedOptions {
  /** Of the coordinator. */
  readonly sql: Sql;
  /** Its address; workers take the same user, password and database at theirs. */
  readonly url: string;
  readonly log: Logger;
}

/**
 * The moment lasts as long as `read` does, others write meanwhile.
 *
 * @throws {ConfigError} when a worker does not let us in, the coordinator does not let us hold commits, or they never rest
 */
export async function withShardedSnapshot<T>(
  { sql, url, log }: ShardedOptions,
  read: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  await using opened = new AsyncDisposableStack();
  const workers = await connectWorkers(sql, url, opened);
  const snapshot = await whileNothingCommits(sql, workers, log, async () => {
    // First: rows that move between workers meanwhile are whole where this one says that they are.
    const { read } = opened.use(await openSnapshot(sql));
    const others = await Promise.all(
      [...workers].map(async ([group, worker]) =>
        [group, opened.use(await openSnapshot(worker))] as const
      ),
    );
    return { read, workers: new Map(others) };
  });
  return await read(snapshot);
}

type Workers = ReadonlyMap<number, Sql>;

async function connectWorkers(
  sql: Sql,
  url: string,
  opened: AsyncDisposableStack,
): Promise<Workers> {
  const nodes = await sql<{ group: number; host: string; port: number }[]>`
    select groupid as "group", nodename as host, nodeport as port from pg_dist_node
    where groupid <> ${COORDINATOR} and noderole = 'primary' and isactive
  `;
  const workers = new Map<number, Sql>();
  for (const { group, host, port } of nodes) {
    const address = new URL(url);
    address.hostname = host.includes(":") ? `[${host}]` : host;
    address.port = String(port);
    const worker = connectServer(address.href);
    opened.defer(() => worker.end({ timeout: 1 }));
    workers.set(group, worker);
    try {
      await worker`select 1`;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new ConfigError(
        `The workers of Citus are read one by one, and ${host}:${port} does not let us in: ${reason}`,
        { cause: error },
      );
    }
  }
  return workers;
}

/**
 * Runs `work` while no transaction commits on several servers. One that only one worker has part in goes on, and is there
 * whole or not at all.
 */
async function whileNothingCommits<T>(
  sql: Sql,
  workers: Workers,
  log: Logger,
  work: () => Promise<T>,
): Promise<T> {
  const began = performance.now();
  for (let attempts = 1; performance.now() - began < REST_LIMIT_MS; attempts++) {
    try {
      return await sql.begin(async (tx) => {
        const held = performance.now();
        await holdCommits(tx);
        await refusePrepared(workers);
        const done = await work();
        const ms = Math.round(performance.now() - held);
        log.info("commits waited for the snapshots of a backup", { ms, attempts });
        return done;
      }) as T;
    } catch (error) {
      if (sqlStateOf(error) === NOT_PERMITTED) throw await notPermitted(sql, error);
      if (!(error instanceof Unrest) && sqlStateOf(error) !== STATEMENT_TIMEOUT) throw error;
    }
    await pause(PAUSE_MS);
  }
  throw new ConfigError(
    "Commits did not rest for a moment, in which a backup of Citus begins: look into pg_prepared_xacts of each worker and pg_stat_activity of the coordinator for what has been there for long",
  );
}

/** What the user of a coordinator lacks to make a backup there, as a statement for who may grant it; null: nothing. */
export async function missingGrant(sql: Sql): Promise<string | null> {
  const [row] = await sql<{ grant: string }[]>`
    select format('grant update on pg_catalog.pg_dist_transaction to %I', current_user) as grant
    where not has_table_privilege('pg_catalog.pg_dist_transaction', 'update, delete, truncate')
  `;
  return row?.grant ?? null;
}

async function notPermitted(sql: Sql, cause: unknown): Promise<ConfigError> {
  const grant = await missingGrant(sql) ?? "make it the owner of the tables";
  return new ConfigError(
    `A backup of Citus holds commits for a moment, and the user of DATABASE_URL may not: ${grant} (on the coordinator)`,
    { cause },
  );
}

async function holdCommits(tx: Transaction): Promise<void> {
  const [row] = await tx<{ here: string }[]>`
    select string_agg(format('only %I', relname), ', ' order by relname) as here from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not exists (select from pg_dist_partition where logicalrelid = pg_class.oid)
  `;
  await tx.unsafe(`
    set local statement_timeout = ${HELD_MS};
    ${limitIdling(OPENING_MS)}
  `);
  // Those of the coordinator alone: of what is written to them and to one worker, the worker commits first.
  await tx.unsafe(`lock table ${row?.here ?? ""} in share mode`);
  // Whoever commits on several workers writes down there what it is about to do, and lets go when all have done it:
  // `citus_create_restore_point()` waits for the same.
  await tx`lock table pg_catalog.pg_dist_transaction in exclusive mode`;
}

/** A server has something prepared whose writer has gone. */
class Unrest extends Error {}

async function refusePrepared(workers: Workers): Promise<void> {
  for (const worker of workers.values()) {
    const [prepared] = await worker`
      select from pg_prepared_xacts
      where database = current_database() and starts_with(gid, 'citus_') limit 1
    `;
    if (prepared !== undefined) throw new Unrest();
  }
}

/** The rows of a table, or of a part of it that Citus made. */
export interface Shard {
  /** Of the server that has it. */
  readonly snapshot: Snapshot;
  /** Of that server among those of Citus; null where there is one. */
  readonly group: number | null;
  /** What its name meant at the moment; 0 when it means something else by now. */
  readonly oid: string;
  readonly name: string;
  /** Of the rows themselves, without what is kept beside them. */
  readonly bytes: number;
  readonly allBytes: number;
}

/**
 * The shards of distributed tables, by table; none on a plain Postgres.
 *
 * @throws {ConfigError} when some are on a worker that came while the moment began
 */
export async function shardsOf(snapshot: Snapshot): Promise<Map<string, Shard[]>> {
  const { workers } = snapshot;
  const byTable = new Map<string, Shard[]>();
  if (workers === undefined) return byTable;
  // Of tables that each server has whole, one is read. What has been dropped since has no shards that could be named.
  const places = await snapshot.read((tx) =>
    tx<{ table: string; name: string; group: number }[]>`
      select distinct on (shardid) relname as table, shard_name(logicalrelid, shardid) as name,
        groupid as "group"
      from pg_dist_shard join pg_dist_placement using (shardid) join pg_class on oid = logicalrelid
      where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and to_regclass(relname) = oid
      order by shardid, groupid desc
    `
  );
  for (const [group, ofGroup] of Map.groupBy(places, ({ group }) => group)) {
    const server = group === COORDINATOR ? snapshot : workers.get(group);
    if (server === undefined) {
      throw new ConfigError(
        "Rows are on a worker of Citus that came while the backup began: try again when rebalancing is over",
      );
    }
    const names = ofGroup.map(({ name }) => name);
    // Names are found as they are now, catalogues read as they were: what was made since, under a name that was there
    // before, has no columns. Whoever reads it misses it, as what has gone.
    const sizes = await server.read((tx) =>
      tx<Omit<Shard, "snapshot" | "group">[]>`
        select name, coalesce(attrelid, 0)::text as oid,
          coalesce(pg_relation_size(attrelid), 1)::float8 as bytes,
          coalesce(pg_table_size(attrelid), 1)::float8 as "allBytes"
        from unnest(${names}::text[]) with ordinality as wanted (name, place)
        left join pg_attribute on attrelid = to_regclass(name) and attnum = 1
        order by place
      `
    );
    for (const [index, size] of sizes.entries()) {
      const table = ofGroup[index]?.table ?? "";
      byTable.set(table, [...byTable.get(table) ?? [], { snapshot: server, group, ...size }]);
    }
  }
  return byTable;
}

/** What was to be read is no longer there, or no longer to be seen. */
export class MovedRows extends Error {}

/**
 * Runs one piece of reading of a shard, which nobody drops meanwhile.
 *
 * @throws {MovedRows} when its name means something else by now, or an upgrade has written it anew: of a shard that went
 * to another worker and came back, and of rows that `alter table` rewrites, the snapshot sees nothing. What was emptied
 * meanwhile, as for the disk budget, is empty
 */
export async function readShard<T>(
  { snapshot, oid, name, group }: Shard,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return await snapshot.read(async (tx) => {
    // Whoever has read a table may go on with it until the transaction ends; Citus lets nobody `lock` a shard.
    await tx`select from only ${tx(name)} limit 0`;
    // Its workers hide shards from who reads `pg_class`.
    if (group !== null) await tx.unsafe("set local citus.override_table_visibility = off");
    const [row] = await tx<{ isSame: boolean }[]>`
      select to_regclass(${name})::oid = ${oid}::oid and (
        pg_relation_size(${oid}::oid) = 0 or pg_relation_filenode(${oid}::oid) =
          (select coalesce(nullif(relfilenode, 0), pg_relation_filenode(oid)) from pg_class where oid = ${oid}::oid)
      ) as "isSame"
    `;
    if (!row?.isSame) throw new MovedRows();
    return await work(tx);
  });
}
