import { join } from "node:path";
import postgres from "postgres";
import { type Config, ConfigError } from "../core/config.ts";
import type { Logger } from "../core/log.ts";
import { failureOf, sqlStateOf, StoreUnavailable } from "../core/errors.ts";
import { waitForStore } from "../core/waiting.ts";
import { openEmbeddedPostgres } from "./embedded/open.ts";
import { INTAKE, type SocketAddress } from "./embedded/server.ts";
import { lastingPool } from "./lasting_pool.ts";
import { patientSockets } from "./patient_socket.ts";
import { arrayTypes, byteType } from "./values.ts";

/** The client that all queries go through; `bigint` and `count(*)` arrive as strings. */
export type Sql = postgres.Sql;
/** What `sql.begin(async (tx) => …)` hands out. Inside it use nothing but `tx`: the embedded database waits otherwise. */
export type Transaction = postgres.TransactionSql;
/** For functions that serve both. */
export type Queryable = Sql | Transaction;

interface Database {
  readonly sql: Sql;
  /** The same for the intake alone: what pages ask never takes the connections that it needs. */
  readonly intakeSql: Sql;
  /** Null when the server answers; else what to do once it does. */
  readonly away: AwayDatabase | null;
  /** Where the embedded Postgres listens; null with a server. */
  readonly embedded: SocketAddress | null;
  /** Lets running queries finish for a few seconds, then closes. */
  close(): Promise<void>;
}

/** A server that does not answer yet: `sql` fails until it does and somebody has brought it up to date. */
export interface AwayDatabase {
  /** For that somebody: connects at once. */
  readonly sql: Sql;
  /** @throws {ConfigError} for a server that is too old; what the driver throws while it is away */
  check(): Promise<void>;
  /** Lets `Database.sql` connect. */
  admit(): Promise<void>;
}

/** Connections an isolate, for pages and clocks. */
const POOL_SIZE = { max: 10, min: 3 };
/** For two commits at a time, and what the intake writes and looks up beside them. */
const INTAKE_POOL_SIZE = { max: 4, min: 3 };
/** Of all isolates of this process; Postgres allows 100 by default. */
const MAX_CONNECTIONS = 80;
/**
 * PGlite runs one statement at a time, in one session, which keeps 20 KB for each statement of each connection: one
 * connection more lets short queries queue beside a transaction, and others would bring nothing.
 */
const EMBEDDED_POOL_SIZE = 2;
const EMBEDDED_INTAKE_POOL_SIZE = 2;
const CONNECT_TIMEOUT_SEC = 5;
/** A connection waits for its turn, behind a vacuum for instance; an engine that is away refuses at once. */
const EMBEDDED_CONNECT_TIMEOUT_SEC = 60;
const CLOSE_TIMEOUT_SEC = 3;
/** Much longer than any isolate is busy between two statements. */
const IDLE_LIMIT_MS = 15_000;
/** Of a server that may come later: requests are refused meanwhile. */
const AWAY_LIMIT_MS = 2_000;
/** Of Postgres, that everything works on. */
export const OLDEST_SERVER = { number: 150_000, name: "15" };

/** What every pool needs, so that breaking connections fail their queries and nothing else. */
const survivingDriver = {
  fetch_types: false,
  types: { ...arrayTypes, bytea: byteType },
  // Notices, such as "relation already exists, skipping", would go to the console.
  onnotice() {},
};

interface OpenOptions {
  readonly mayBeAway?: boolean;
  readonly embedded?: SocketAddress | null;
}

/**
 * Opens Postgres: the server that `DATABASE_URL` names, or the embedded one in `<data>/postgres`.
 *
 * @param options.mayBeAway a server that does not answer is waited for by the caller
 * @param options.embedded where another isolate has started the embedded one
 * @throws {ConfigError} when the server does not answer within half a minute, refuses us, or is older than 15
 */
export async function openDatabase(
  config: Config,
  log: Logger,
  { mayBeAway = false, embedded = null }: OpenOptions = {},
): Promise<Database> {
  const { databaseUrl, dataDir, isolates } = config;
  if (databaseUrl !== null) {
    const sizes = { pages: poolSize(isolates), intake: intakePoolSize(isolates) };
    return await openServer(
      (use, isAllowed) =>
        connectServer(databaseUrl, { isAllowed, max: sizes[use], name: NAMES[use] }),
      {
        name: `Postgres at ${describeServer(databaseUrl)} (DATABASE_URL)`,
        log,
        mayBeAway,
      },
    );
  }
  if (embedded === null) return await openEmbedded(join(dataDir, "postgres"), log);
  const pools = embeddedPools(embedded);
  return { ...pools, away: null, embedded, close: () => endAll(Object.values(pools)) };
}

/** How many connections all isolates of a process may take together. */
export function connectionsOf(isolates: number): number {
  return isolates * (poolSize(isolates) + intakePoolSize(isolates));
}

/** How many connections for pages and clocks each of so many isolates may have. */
export function poolSize(isolates: number): number {
  const share = Math.floor(MAX_CONNECTIONS / isolates) - intakePoolSize(isolates);
  return Math.max(POOL_SIZE.min, Math.min(POOL_SIZE.max, share));
}

function intakePoolSize(isolates: number): number {
  const share = Math.floor(MAX_CONNECTIONS / isolates / 2);
  return Math.max(INTAKE_POOL_SIZE.min, Math.min(INTAKE_POOL_SIZE.max, share));
}

/** What a pool is for, and what Postgres calls its connections. */
type Use = "pages" | "intake";
const NAMES: Readonly<Record<Use, string>> = { pages: "watchpost", intake: INTAKE };

async function endAll(pools: readonly Sql[]): Promise<void> {
  await Promise.all(pools.map((pool) => pool.end({ timeout: CLOSE_TIMEOUT_SEC })));
}

function embeddedPools(address: SocketAddress) {
  return { sql: connectEmbedded(address), intakeSql: connectEmbedded(address, { use: "intake" }) };
}

async function openEmbedded(dir: string, log: Logger): Promise<Database> {
  const server = await openEmbeddedPostgres(dir, log);
  const pools = embeddedPools(server.address);
  return {
    ...pools,
    away: null,
    embedded: server.address,
    async close() {
      await endAll(Object.values(pools));
      await server.close();
    },
  };
}

/**
 * Connects to an embedded Postgres that runs already.
 *
 * @param options.searchPath schema for unqualified names, `public` when absent
 * @param options.use what it is for: the intake goes first
 */
export function connectEmbedded(
  address: SocketAddress,
  { searchPath, use = "pages" }: { readonly searchPath?: string; readonly use?: Use } = {},
): Sql {
  // The engine has no clock for it, and ends with the process.
  return lastingPool({ isTimed: use === "pages", idleLimitMs: null }, (sockets) =>
    postgres({
      ...address.transport === "unix"
        ? { path: address.path }
        : { host: "127.0.0.1", port: address.port },
      username: "postgres",
      database: "postgres",
      max: use === "intake" ? EMBEDDED_INTAKE_POOL_SIZE : EMBEDDED_POOL_SIZE,
      connect_timeout: EMBEDDED_CONNECT_TIMEOUT_SEC,
      ...survivingDriver,
      ...patientSockets(null, sockets),
      // Every new connection leaves its prepared statements in the one session: they stay for good instead.
      max_lifetime: null,
      connection: {
        application_name: NAMES[use],
        ...searchPath === undefined ? {} : { search_path: searchPath },
      },
    }));
}

/** @param isAllowed while it says no, queries fail as if the server were away */
type Connect = (use: Use, isAllowed?: () => boolean) => Sql;

interface ServerOptions {
  readonly name: string;
  readonly log: Logger;
  readonly mayBeAway: boolean;
}

async function openServer(
  connect: Connect,
  { name, log, mayBeAway }: ServerOptions,
): Promise<Database> {
  const sql = connect("pages");
  try {
    const limitMs = mayBeAway ? AWAY_LIMIT_MS : undefined;
    await waitForStore(name, () => sql`select 1`, log, isPassing, limitMs);
    await checkServer(sql, log);
  } catch (error) {
    const isAway = error instanceof ConfigError && error.cause !== undefined &&
      isPassing(error.cause);
    if (mayBeAway && isAway) return awayServer(connect, sql, log);
    await sql.end({ timeout: CLOSE_TIMEOUT_SEC });
    throw error;
  }
  const intakeSql = connect("intake");
  return { sql, intakeSql, away: null, embedded: null, close: () => endAll([sql, intakeSql]) };
}

function awayServer(connect: Connect, early: Sql, log: Logger): Database {
  let isAdmitted = false;
  const sql = connect("pages", () => isAdmitted);
  const intakeSql = connect("intake", () => isAdmitted);
  return {
    sql,
    intakeSql,
    away: {
      sql: early,
      check: () => checkServer(early, log),
      async admit() {
        isAdmitted = true;
        await endAll([early]);
      },
    },
    embedded: null,
    close: () => endAll([sql, intakeSql, early]),
  };
}

async function checkServer(sql: Sql, log: Logger): Promise<void> {
  await refuseOldServer(sql);
  await warnAboutLostCommits(sql, log);
}

interface ServerPool {
  /** While it says no, queries fail as if the server were away. */
  readonly isAllowed?: (() => boolean) | undefined;
  /** How many connections it may have. */
  readonly max?: number;
  /** By which Postgres lists them. */
  readonly name?: string;
  /** How long a transaction may ask for nothing before Postgres ends it, in milliseconds. */
  readonly idleLimitMs?: number;
}

/** Connects to a Postgres server, lazily: nothing happens before the first query. */
export function connectServer(
  url: string,
  { isAllowed, max = POOL_SIZE.max, name = NAMES.pages, idleLimitMs = IDLE_LIMIT_MS }: ServerPool =
    {},
): Sql {
  const parameters = new URL(url).searchParams;
  return lastingPool({ isTimed: name === NAMES.pages, idleLimitMs }, (sockets) =>
    postgres(url, {
      max,
      connect_timeout: CONNECT_TIMEOUT_SEC,
      connection: { application_name: name },
      ...survivingDriver,
      ...patientSockets(
        parameters.get("sslmode") ?? parameters.get("ssl"),
        sockets,
        isAllowed,
      ),
    }));
}

const STARTING_UP = "57P03";
const TOO_MANY_CONNECTIONS = "53300";

/** Refusals such as a wrong password stay as they are; a server that is away or starting may come. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof postgres.PostgresError)) return true;
  return error.code === STARTING_UP || error.code === TOO_MANY_CONNECTIONS;
}

/** Host, port and database: an address may hold a password. */
function describeServer(url: string): string {
  const { host, pathname } = new URL(url);
  return `${host}${pathname}`;
}

async function refuseOldServer(sql: Sql): Promise<void> {
  const [row] = await sql<{ number: string; name: string }[]>`
    select current_setting('server_version_num') as number,
           current_setting('server_version') as name
  `;
  if (row !== undefined && Number(row.number) < OLDEST_SERVER.number) {
    throw new ConfigError(
      `Cannot start: Postgres (DATABASE_URL) is version ${row.name}, needed is ${OLDEST_SERVER.name} or newer`,
    );
  }
}

/** An operator may choose speed over safety; the promise "acknowledged is durable" is theirs then. */
async function warnAboutLostCommits(sql: Sql, log: Logger): Promise<void> {
  const [row] = await sql<{ fsync: string; synchronousCommit: string }[]>`
    select current_setting('fsync') as fsync,
           current_setting('synchronous_commit') as "synchronousCommit"
  `;
  if (row?.fsync === "off" || row?.synchronousCommit === "off") {
    log.warn("Postgres is set to lose the newest commits in a crash", { ...row });
  }
}

const POLL_MS = 100;

interface Work<T> {
  /** The transaction's id, known once only COMMIT is left to do. */
  xid: string;
  result: T;
}

interface CommitOptions<T> {
  readonly sql: Sql;
  readonly statementTimeoutMs: number;
  /** On the clock of `performance.now()`: later on nothing is committed. */
  readonly deadline: number;
  work(tx: Transaction): Promise<T>;
  /** Whether what the work has written is in the database; null: it has written nothing to look for. */
  isThere(result: T): Promise<boolean | null>;
}

/**
 * Runs a transaction, and knows its fate even when the connection breaks during COMMIT: then it is looked whether what it
 * has written is there, so that what was committed is not counted a second time. The transaction's id alone does not
 * tell: what a crash of Postgres took away leaves its id to another transaction, which may be committed.
 *
 * @throws {StoreUnavailable} when the work ends after the deadline
 */
export async function commitOnce<T>(
  { sql, statementTimeoutMs, deadline, work, isThere }: CommitOptions<T>,
): Promise<T> {
  const done: Work<T>[] = [];
  try {
    await sql.begin(async (tx) => {
      const [xid, result] = await Promise.all([prepare(tx, statementTimeoutMs), work(tx)]);
      // Nobody waits any more, and what was given up shall not appear later on.
      if (performance.now() >= deadline) {
        throw new StoreUnavailable("Cannot commit: it took too long");
      }
      done.push({ xid, result });
    });
  } catch (error) {
    const [unsure] = done;
    const isAnswered = sqlStateOf(error) !== "" && failureOf(error) !== "unavailable";
    if (unsure === undefined || isAnswered) throw error;
    const { xid, result } = unsure;
    if (!await wasCommitted(sql, xid, deadline, () => isThere(result))) throw error;
  }
  const [finished] = done;
  if (finished === undefined) throw new Error("Cannot commit: the transaction ended early");
  return finished.result;
}

async function prepare(tx: Transaction, timeoutMs: number): Promise<string> {
  const [row] = await tx<{ xid: string }[]>`
    select pg_current_xact_id()::text as xid,
      set_config('statement_timeout', ${String(timeoutMs)}, true)
  `;
  return row?.xid ?? "";
}

async function wasCommitted(
  sql: Sql,
  xid: string,
  deadline: number,
  isThere: () => Promise<boolean | null>,
): Promise<boolean> {
  while (performance.now() < deadline) {
    try {
      const status = await statusOf(sql, xid);
      // Nothing of it can be seen before.
      if (status !== "in progress") return await isThere() ?? status === "committed";
    } catch (error) {
      if (failureOf(error) !== "unavailable") throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

/** Of an id that is not given out: Postgres has crashed, and knows nothing of it any more. */
const IN_THE_FUTURE = "22023";

/** @throws what `postgres` throws while Postgres is away */
async function statusOf(sql: Sql, xid: string): Promise<string> {
  try {
    const [row] = await sql<{ status: string | null }[]>`
      select pg_xact_status(${xid}::xid8) as status
    `;
    return row?.status ?? "forgotten";
  } catch (error) {
    if (sqlStateOf(error) === IN_THE_FUTURE) return "aborted";
    throw error;
  }
}
