import type { ValueType } from "../../formats/pprof/profile.ts";
import { bestFirst, readTypeId, typeId } from "../../formats/pprof/sample_types.ts";
import type { Sql } from "../../store/database.ts";
import type { ProfileKind } from "../../records/mod.ts";
import type { ProfileScope } from "./profile_types.ts";
import { selected } from "./selected.ts";

/** What there is of one kind of profiles of a service. */
export interface ProfiledKind {
  readonly kind: ProfileKind;
  /** In the order of {@linkcode bestFirst}. */
  readonly types: readonly ValueType[];
  readonly profiles: number;
  readonly lastSeen: Date;
  /** As stored, compressed. */
  readonly bytes: number;
}

/** A service that sends profiles; its name may be `""`. */
export interface ProfiledService {
  readonly service: string;
  /** Of its newest profile. */
  readonly platform: string;
  /** Those of most profiles first. */
  readonly kinds: readonly ProfiledKind[];
}

interface Part {
  readonly service: string;
  readonly kind: ProfileKind;
  readonly platform: string;
  readonly types: readonly string[];
  /** Which of them have samples in any profile. */
  readonly filled: readonly boolean[];
  readonly profiles: string;
  readonly lastSeen: Date;
  readonly bytes: string;
}

/** Of so many types it is asked whether there are samples; profilers know a dozen. */
const MAX_TOLD = 16;

/** The services of a project that sent profiles, by name, with what can be looked at of each. */
export async function readProfiledServices(
  sql: Sql,
  scope: ProfileScope,
): Promise<ProfiledService[]> {
  const filled = Array.from(
    { length: MAX_TOLD },
    (_, place) => sql`bool_or(totals[${place + 1}::int] <> 0)`,
  )
    .reduce((all, each) => sql`${all}, ${each}`);
  const parts = await sql<Part[]>`
    select service, kind, platform, types, count(*) as profiles, max("timestamp") as "lastSeen",
      sum(size_bytes) as bytes, array[${filled}] as filled
    from profiles
    where ${selected(sql, { ...scope, kind: undefined, type: undefined })}
    group by service, kind, platform, types
    order by service, count(*) desc, types
  `;
  return [...Map.groupBy(parts, ({ service }) => service)].map(([service, ofService]) => ({
    service,
    platform: newestOf(ofService).platform,
    kinds: [...Map.groupBy(ofService, ({ kind }) => kind)]
      .map(([kind, ofKind]) => kindOf(kind, ofKind))
      .sort((a, b) => b.profiles - a.profiles || (a.kind < b.kind ? -1 : 1)),
  }));
}

function kindOf(kind: ProfileKind, parts: readonly Part[]): ProfiledKind {
  const types = new Map<string, ValueType>();
  const filled = new Set<string>();
  for (const part of parts) {
    for (const [place, id] of part.types.entries()) {
      const type = readTypeId(id);
      if (type !== null) types.set(typeId(type), type);
      if (part.filled[place] ?? place >= MAX_TOLD) filled.add(id);
    }
  }
  return {
    kind,
    types: bestFirst([...types.values()], (type) => filled.has(typeId(type))),
    profiles: parts.reduce((sum, { profiles }) => sum + Number(profiles), 0),
    lastSeen: newestOf(parts).lastSeen,
    bytes: parts.reduce((sum, { bytes }) => sum + Number(bytes), 0),
  };
}

/** @param parts at least one */
function newestOf(parts: readonly Part[]): Part {
  return parts.reduce((newest, part) => part.lastSeen > newest.lastSeen ? part : newest);
}
