import { bestFirst, readTypeId, typeId } from "../../formats/pprof/sample_types.ts";
import { findType } from "../trees/value_units.ts";
import type { Sql } from "../../store/database.ts";
import type { ProfileKind } from "../../records/mod.ts";
import type { ProfileQuery, ProfileSelection } from "./profile_types.ts";
import { selected } from "./selected.ts";

/** What is looked at, and what the functions are of. */
export interface ChosenValue extends Pick<ProfileSelection, "kind" | "type"> {
  /** Of the newest profile, as `go`. */
  readonly platform: string;
}

interface Newest {
  readonly kind: ProfileKind;
  readonly types: readonly string[];
  readonly totals: readonly string[];
  readonly platform: string;
}

/**
 * What is looked at when a request leaves out the kind or the type: those of the newest profile that fits the rest, of
 * its values the first of {@linkcode bestFirst}.
 *
 * @returns null when no profile fits
 */
export async function chooseValue(sql: Sql, query: ProfileQuery): Promise<ChosenValue | null> {
  const [newest] = await sql<Newest[]>`
    select kind, types, totals, platform from profiles where ${selected(sql, query)}
    order by "timestamp" desc, profile_id desc limit 1
  `;
  if (newest === undefined) return null;
  const { kind, platform } = newest;
  const types = newest.types.flatMap((id) => readTypeId(id) ?? []);
  const filled = new Set(newest.types.filter((_, place) => newest.totals[place] !== "0"));
  const [first] = bestFirst(types, (type) => filled.has(typeId(type)));
  const wanted = query.type === undefined ? first : types[findType(types, query.type)];
  const type = wanted ?? query.type;
  return type === undefined ? null : { kind, type, platform };
}
