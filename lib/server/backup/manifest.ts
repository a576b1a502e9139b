/** What a backup is made of: which rows, entries and objects are in which parts. */
import { z } from "zod";
import { PART_NAME } from "./parts.ts";

const Part = z.string().regex(PART_NAME);
/** Of tables, columns and sequences, which are named in statements when they come back. */
const Name = z.string().regex(/^[a-z_][a-z0-9_]{0,62}$/);
const Count = z.int().min(0);

const Table = z.object({
  name: Name,
  /** The table that it is a day of. */
  parent: Name.nullable(),
  /** In the order in which rows have them. */
  columns: z.array(Name),
  rows: Count,
  /** Which rows it had, as far as `Tables.source` goes on; null: it is read anew each time. */
  fingerprint: z.string().nullable(),
  parts: z.array(Part),
});

const Schema = z.object({
  format: z.literal(1),
  id: z.string(),
  /** Of Watchpost. */
  version: z.string(),
  startedAt: z.iso.datetime(),
  endedAt: z.iso.datetime(),
  /** The id of the installation. */
  instance: z.string().nullable(),
  postgres: z.object({
    /** The last migration that it had. */
    migration: z.int().min(1),
    /** Which database, for its fingerprints; null: they mean nothing later on. */
    source: z.string().nullable(),
    tables: z.array(Table),
    /** The last number that each has given out. */
    sequences: z.record(Name, z.string().regex(/^\d{1,19}$/)),
  }),
  kv: z.object({
    entries: Count,
    /** Whether all of them are of one moment. */
    isOneMoment: z.boolean(),
    parts: z.array(Part),
  }),
  objects: z.object({
    count: Count,
    bytes: Count,
    /** With the list of them: which object is in which part. */
    parts: z.array(Part),
  }),
  /** Bytes of all parts that it needs, as they are stored. */
  sizes: z.record(Part, Count),
}).refine(({ postgres, kv, objects, sizes }) =>
  [...postgres.tables, kv, objects].every(({ parts }) => parts.every((part) => part in sizes))
);

export type Manifest = z.infer<typeof Schema>;
export type CopiedTable = Manifest["postgres"]["tables"][number];

/** @returns null for what is no manifest */
export function readManifest(text: Uint8Array): Manifest | "newer" | null {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(text));
    const newer = z.object({ format: z.int().min(2) }).safeParse(value);
    return newer.success ? "newer" : Schema.safeParse(value).data ?? null;
  } catch {
    return null;
  }
}

/** Bytes of all parts that a backup needs. */
export function bytesOf({ sizes }: Pick<Manifest, "sizes">): number {
  return Object.values(sizes).reduce((sum, size) => sum + size, 0);
}
