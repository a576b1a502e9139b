import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Sql } from "@/lib/store/database.ts";

export type CopyValue = string | number | boolean | Date | null | Uint8Array;

/** Rows of one piece of the stream. */
const PIECE = 500;

/** Writes rows by `COPY`, columns in the order of their names. */
export async function copyRows<R>(
  sql: Sql,
  table: string,
  names: readonly string[],
  rows: readonly R[],
  valuesOf: (row: R) => readonly CopyValue[],
): Promise<void> {
  if (rows.length === 0) return;
  const columns = names.map((name) => `"${name}"`).join(", ");
  const target = await sql.unsafe(`copy ${table} (${columns}) from stdin`).writable();
  await pipeline(Readable.from(piecesOf(rows, valuesOf)), target);
}

function* piecesOf<R>(
  rows: readonly R[],
  valuesOf: (row: R) => readonly CopyValue[],
): Generator<string> {
  for (let at = 0; at < rows.length; at += PIECE) {
    yield rows.slice(at, at + PIECE)
      .map((row) => `${valuesOf(row).map(textOf).join("\t")}\n`).join("");
  }
}

const SPECIAL = /[\\\t\n\r]/g;
const ESCAPES: Readonly<Record<string, string>> = {
  "\\": "\\\\",
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
};

function textOf(value: CopyValue): string {
  if (value === null) return "\\N";
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\\\x${value.toHex()}`;
  return String(value).replace(SPECIAL, (char) => ESCAPES[char] ?? char);
}
