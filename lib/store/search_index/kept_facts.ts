/** Facts of the segments that were read last: unpacking those of a month takes longer than all else of a page. */
import { createHash } from "node:crypto";
import type { Sql } from "../database.ts";
import { unpackJson } from "./segment.ts";

/** Of 16,384 rows each, and some 20 KB here. */
const MOST = 256;

type Compact = (facts: readonly unknown[]) => readonly unknown[];

const ofDatabases = new WeakMap<Sql, KeptFacts>();

/** What blocks of segments tell, by the bytes that say it: a segment that is made again has others. */
export class KeptFacts {
  readonly #kept = new Map<string, readonly unknown[]>();

  static of(sql: Sql): KeptFacts {
    const known = ofDatabases.get(sql) ?? new KeptFacts();
    ofDatabases.set(sql, known);
    return known;
  }

  /**
   * Unpacks what `packJson()` has written; the same bytes only once, while they are among the last ones.
   *
   * @param compact makes something smaller of it; the same for the same kind of segments
   */
  read(packed: Uint8Array, compact: Compact = (facts) => facts): readonly unknown[] {
    const key = createHash("md5").update(packed).digest("base64");
    const facts = this.#kept.get(key) ?? compact(unpackJson<unknown[]>(packed));
    this.#kept.delete(key);
    this.#kept.set(key, facts);
    const [oldest] = this.#kept.keys();
    if (this.#kept.size > MOST && oldest !== undefined) this.#kept.delete(oldest);
    return facts;
  }
}
