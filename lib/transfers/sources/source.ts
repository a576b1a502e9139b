/** What all sources of an export have in common. */
import type postgres from "postgres";
import type { Logger } from "../../core/log.ts";
import type { Queryable } from "../../store/database.ts";
import type { Counts } from "../transfers.ts";
import type { Piece, TransferStores } from "../parts.ts";

/** Whose data, and of which time. */
export interface Range {
  readonly projectId: string;
  /** The project's, for the short ids of its issues. */
  readonly slug: string;
  readonly since: Date;
  readonly until: Date;
  /** Nobody asked for a time: what is older and still there goes along. */
  readonly isWhole: boolean;
}

export interface SourceStores extends TransferStores {
  readonly log: Logger;
}

export interface Batch {
  /** Null: this was the last. */
  readonly cursor: string | null;
  readonly counts: Counts;
  readonly pieces: readonly Piece[];
}

/** Reads one kind of data in bounded batches, each behind a cursor, so that work that was cut short goes on. */
export interface ExportSource {
  readonly name: string;
  next(stores: SourceStores, range: Range, cursor: string | null): Promise<Batch>;
}

/** Rows a batch. */
export const BATCH = 200;

/** A piece of a file of JSON lines; none when there are no lines. */
export function linesOf(name: string, lines: readonly unknown[]): Piece[] {
  if (lines.length === 0) return [];
  return [{ name, content: lines.map((line) => `${jsonOf(line)}\n`).join("") }];
}

/** Some values have 64 bits, which JSON has no numbers for. */
function jsonOf(line: unknown): string {
  return JSON.stringify(line, (_, value) => typeof value === "bigint" ? value.toString() : value);
}

/** The cursor behind a batch of rows that were ordered by time and id. */
export function cursorBehind(
  rows: readonly { readonly at: string; readonly id: string }[],
  most: number,
): string | null {
  const last = rows.at(-1);
  return last !== undefined && rows.length === most ? `${last.at}|${last.id}` : null;
}

/**
 * The condition for what comes behind such a cursor; none at the beginning.
 *
 * @param id the column of ids
 */
export function behind(sql: Queryable, cursor: string | null, id: string): postgres.Fragment {
  if (cursor === null) return sql``;
  const [at = "", last = ""] = cursor.split("|");
  return sql`and ("timestamp", ${sql(id)}) > (${at}::text::timestamptz, ${last}::uuid)`;
}
