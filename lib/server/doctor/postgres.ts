/** Whether a Postgres is new enough, set up safely, up to date, and right about the time. */
import {
  connectionsOf,
  connectServer,
  OLDEST_SERVER,
  type Sql,
  type Transaction,
} from "../../store/database.ts";
import { databaseBytes } from "../../store/backlog.ts";
import { firstMigration, migrationState } from "../../store/migrate.ts";
import { isCitus } from "../../store/sharding.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import { missingGrant } from "../backup/shards.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const LIMIT_MS = 10_000;

/** @param isolates of the service, which decide about its connections */
export async function checkPostgresServer(url: string, isolates: number): Promise<Finding[]> {
  const sql = connectServer(url, { max: 1, name: "watchpost doctor" });
  try {
    const findings = await withTimeLimit(checkDatabase(sql), LIMIT_MS);
    return [
      ...findings,
      ...await checkClock(sql),
      ...await checkConnections(sql, isolates),
      ...await checkBackups(sql),
    ];
  } finally {
    await sql.end({ timeout: 1 });
  }
}

interface Server {
  readonly number: string;
  readonly name: string;
  readonly fsync: string;
  readonly commit: string;
  readonly encoding: string;
}

/** What is to be known of a database that answers. @throws what `postgres` throws */
export async function checkDatabase(sql: Sql): Promise<Finding[]> {
  const [server] = await sql<Server[]>`
    select current_setting('server_version_num') as number,
      current_setting('server_version') as name,
      current_setting('fsync') as fsync,
      current_setting('synchronous_commit') as commit,
      current_setting('server_encoding') as encoding
  `;
  if (server === undefined) throw new Error("it tells nothing of itself");
  if (Number(server.number) < OLDEST_SERVER.number) {
    return [problem(
      "postgres",
      `Postgres is version ${server.name}, needed is ${OLDEST_SERVER.name} or newer.`,
      "Upgrade the server, or set DATABASE_URL to a newer one.",
    )];
  }
  await probe(sql);
  const gigabytes = (await databaseBytes(sql) / 1_000_000_000).toFixed(1);
  return [
    ok(
      "postgres",
      `Postgres ${server.name}, ${gigabytes} GB; a table was made, filled, read and taken back. No extension is needed.`,
    ),
    ...unsafe(server),
    await checkMigrations(sql),
  ];
}

class TakenBack extends Error {}

/** In a transaction that is taken back: nothing of it is ever seen. */
async function probe(sql: Sql): Promise<void> {
  const work = async (tx: Transaction) => {
    await tx`create table watchpost_doctor_probe (value text not null)`;
    await tx`insert into watchpost_doctor_probe values ('probe')`;
    const [row] = await tx<{ value: string }[]>`select value from watchpost_doctor_probe`;
    await tx`delete from watchpost_doctor_probe`;
    if (row?.value !== "probe") throw new Error("it does not keep what it is given");
    throw new TakenBack();
  };
  await sql.begin(work).catch((error) => {
    if (!(error instanceof TakenBack)) throw error;
  });
}

function unsafe({ fsync, commit, encoding }: Server): Finding[] {
  const found: Finding[] = [];
  if (fsync === "off" || commit === "off") {
    found.push(warning(
      "postgres",
      `Postgres loses the newest commits in a crash (fsync ${fsync}, synchronous_commit ${commit}): what was acknowledged is gone then.`,
      "Set fsync and synchronous_commit to on, unless that is what you want.",
    ));
  }
  if (encoding !== "UTF8") {
    found.push(problem(
      "postgres",
      `The database is encoded in ${encoding}: most of what clients send cannot be stored.`,
      "Make the database anew with encoding UTF8.",
    ));
  }
  return found;
}

async function checkMigrations(sql: Sql): Promise<Finding> {
  const { known, applied } = await migrationState(sql);
  return migrationFinding(applied, { known, first: await firstMigration() });
}

/** @param of this version: the first migration that it upgrades from, and the last one */
export function migrationFinding(
  applied: number,
  { known, first }: { readonly known: number; readonly first: number },
): Finding {
  const check = "migrations";
  if (applied === 0) {
    return ok(check, "The database has no tables yet; the first start makes them.");
  }
  if (applied === known) {
    return ok(check, `The database is at migration ${applied}, as this version is.`);
  }
  if (applied > known) {
    return problem(
      check,
      `The database is at migration ${applied}, this version knows ${known}: a newer one has used it.`,
      "Start the newer version.",
    );
  }
  if (applied < first) {
    return problem(
      check,
      `The database is at migration ${applied}, this version upgrades from ${first} on.`,
      "Start a version in between first: docs/operations.md, “Upgrades”.",
    );
  }
  return warning(
    check,
    `The database is at migration ${applied}, this version is at ${known}.`,
    "Make a copy of the stores, then start this version: it applies the others. There is no way back.",
  );
}

const CLOCK = { oddMs: 2_000, wrongMs: 60_000 };

async function checkClock(sql: Sql): Promise<Finding[]> {
  const before = Date.now();
  const [row] = await sql<{ ms: number }[]>`
    select (extract(epoch from clock_timestamp()) * 1000)::float8 as ms
  `;
  const after = Date.now();
  return [clockFinding((row?.ms ?? 0) - (before + after) / 2, "Postgres")];
}

/** @param aheadMs by how many milliseconds another clock is ahead of this machine's */
export function clockFinding(aheadMs: number, whose: string): Finding {
  const seconds = Math.abs(aheadMs / 1_000);
  if (Math.abs(aheadMs) <= CLOCK.oddMs) {
    return ok(
      "clock",
      `This machine's clock and that of ${whose} agree within ${CLOCK.oddMs / 1_000} s.`,
    );
  }
  const meaning = `The clock of ${whose} is ${seconds.toFixed(1)} s ${
    aheadMs > 0 ? "ahead of" : "behind"
  } this machine's: times of what is stored, leases and alerts are wrong by as much.`;
  const remedy = "Keep both machines' clocks by NTP (chrony, systemd-timesyncd).";
  return Math.abs(aheadMs) > CLOCK.wrongMs
    ? problem("clock", meaning, remedy)
    : warning("clock", meaning, remedy);
}

async function checkConnections(sql: Sql, isolates: number): Promise<Finding[]> {
  const [row] = await sql<{ most: number; others: number }[]>`
    select current_setting('max_connections')::int
        - current_setting('superuser_reserved_connections')::int as most,
      (select count(*)::int from pg_stat_activity
        where backend_type = 'client backend' and application_name not like 'watchpost%') as others
  `;
  if (row === undefined) return [];
  const needed = connectionsOf(isolates);
  if (needed + row.others <= row.most) return [];
  return [warning(
    "postgres",
    `This process may take ${needed} connections, but Postgres has ${row.most}, of which others use ${row.others}.`,
    "Raise max_connections, or lower SERVICE_ISOLATES.",
  )];
}

/** Before the first one fails. */
async function checkBackups(sql: Sql): Promise<Finding[]> {
  if (!await isCitus(sql)) return [];
  const grant = await missingGrant(sql);
  if (grant === null) return [ok("backups", "Backups of Citus may hold commits for a moment.")];
  return [warning(
    "backups",
    "Backups fail: those of Citus hold commits for a moment, and the user of DATABASE_URL may not.",
    `Say on the coordinator, as a superuser: ${grant};`,
  )];
}
