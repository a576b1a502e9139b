/**
 * A place where something is stored of a person: how it is found in bounded batches, what of it is exported, and how it
 * is deleted. Batches go on behind a cursor, so that work that was cut short begins where it was.
 */
import type { Sql } from "../../store/database.ts";
import type { ObjectStore } from "../../store/objects/store.ts";
import type { Identity } from "../identity.ts";

export interface DataStores {
  readonly sql: Sql;
  readonly objects: ObjectStore;
}

/** How much there was, by kind of data. */
export type Counts = Readonly<Record<string, number>>;

/** A file that belongs to a row, by its key in the object store. */
export interface StoredFile {
  readonly name: string;
  readonly key: string;
}

export interface Batch<Row> {
  readonly rows: readonly Row[];
  /** Null: this was the last. */
  readonly cursor: string | null;
}

export interface Source<Row> {
  /** Name of its file in an export, and of its first count. */
  readonly name: string;
  readonly next: (
    stores: DataStores,
    projectId: string,
    who: Identity,
    cursor: string | null,
  ) => Promise<Batch<Row>>;
  readonly json: (row: Row) => unknown;
  readonly files?: (
    stores: DataStores,
    projectId: string,
    rows: readonly Row[],
  ) => Promise<StoredFile[]>;
  readonly erase: (
    stores: DataStores,
    projectId: string,
    who: Identity,
    rows: readonly Row[],
  ) => Promise<Counts>;
}

/** Rows a batch: small enough for a transaction that nobody waits for. */
export const BATCH = 200;

/** Keeps the type of a source's rows to itself. */
export type AnySource = ReturnType<typeof source>;

/** What is done with a batch, whatever its rows are. */
export function source<Row>(inner: Source<Row>) {
  return {
    name: inner.name,
    /** Reads a batch and does one of both with it. */
    async step(
      stores: DataStores,
      projectId: string,
      who: Identity,
      cursor: string | null,
      isErasing: boolean,
    ): Promise<Step> {
      const batch = await inner.next(stores, projectId, who, cursor);
      if (isErasing) {
        const counts = await inner.erase(stores, projectId, who, batch.rows);
        return { cursor: batch.cursor, counts, lines: [], files: [] };
      }
      const files = inner.files && batch.rows.length > 0
        ? await inner.files(stores, projectId, batch.rows)
        : [];
      return {
        cursor: batch.cursor,
        counts: {
          [inner.name]: batch.rows.length,
          ...(files.length > 0 ? { files: files.length } : {}),
        },
        lines: batch.rows.map(inner.json),
        files,
      };
    },
  };
}

export interface Step {
  readonly cursor: string | null;
  readonly counts: Counts;
  /** To be exported. */
  readonly lines: readonly unknown[];
  readonly files: readonly StoredFile[];
}
