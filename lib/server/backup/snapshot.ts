/** Postgres as it was at one moment, for whoever reads for long. */
import { MINUTE_MS } from "../../core/time.ts";
import type { Sql, Transaction } from "../../store/database.ts";
import { limitIdling } from "../../store/lasting_pool.ts";

/** Postgres as it was at one moment. */
export interface Snapshot {
  /** Runs one piece of reading. A transaction each: their locks end with them. */
  read<T>(work: (tx: Transaction) => Promise<T>): Promise<T>;
  /** Where Citus distributes rows: those of its workers, by their group. */
  readonly workers?: ReadonlyMap<number, Snapshot>;
}

/** Of a database that nobody writes to. */
export function stillSnapshot(sql: Sql): Snapshot {
  return { read: (work) => reading(sql, "read only", work) };
}

const SNAPSHOT = "isolation level repeatable read read only";

/** Of a reader that hangs, or whose machine has gone, the server forgets the moment after this. */
const GONE_MS = 5 * MINUTE_MS;
const SIGNS_OF_LIFE = 5;

/**
 * Of a server: its moment lasts as long as `read` does, others write meanwhile.
 *
 * @param goneMs how long the server waits for a sign of life
 */
export async function withSnapshot<T>(
  sql: Sql,
  read: (snapshot: Snapshot) => Promise<T>,
  goneMs: number = GONE_MS,
): Promise<T> {
  await using snapshot = await openSnapshot(sql, goneMs);
  return await read(snapshot);
}

/** The same until it is disposed of. When its connection breaks, further reading fails. */
export async function openSnapshot(
  sql: Sql,
  goneMs: number = GONE_MS,
): Promise<Snapshot & AsyncDisposable> {
  const opened = Promise.withResolvers<string>();
  const disposed = Promise.withResolvers<void>();
  let signs: ReturnType<typeof setInterval> | undefined;
  const ended = sql.begin(SNAPSHOT, async (holder) => {
    await holder.unsafe(limitIdling(goneMs));
    const [row] = await holder<{ id: string }[]>`select pg_export_snapshot() as id`;
    // What becomes of a sign is seen by whoever reads next.
    signs = setInterval(() => holder`select 1`.catch(() => {}), goneMs / SIGNS_OF_LIFE);
    opened.resolve(row?.id ?? "");
    await disposed.promise;
  }).catch(opened.reject).finally(() => clearInterval(signs));
  const id = await opened.promise;
  return {
    read: (work) =>
      reading(sql, SNAPSHOT, async (tx) => {
        await tx.unsafe(`set transaction snapshot '${id}'`);
        return await work(tx);
      }),
    async [Symbol.asyncDispose]() {
      clearInterval(signs);
      disposed.resolve();
      await ended;
    },
  };
}

/** How values are written, whatever the server is set to; both ways. */
export const TEXT_FORMS = `
  set local statement_timeout = 0;
  ${limitIdling(0)};
  set local timezone = 'UTC';
  set local datestyle = 'ISO, YMD';
  set local intervalstyle = 'postgres';
  set local extra_float_digits = 1;
  set local bytea_output = 'hex'
`;

async function reading<T>(
  sql: Sql,
  mode: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  return await sql.begin(mode, async (tx) => {
    // Only the first statement of a transaction may choose its snapshot, and `set local` is none.
    await tx.unsafe(TEXT_FORMS);
    return await work(tx);
  }) as T;
}
