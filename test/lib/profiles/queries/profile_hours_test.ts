import assert from "node:assert/strict";
import { countHourBefore, joinHours } from "@/lib/profiles/queries/profile_hours.ts";
import {
  readProfiledServices,
  readProfiledVersions,
  readVolume,
} from "@/lib/profiles/queries/profiled_services.ts";
import type { Sql } from "@/lib/store/database.ts";
import {
  CPU,
  day,
  type ProfiledProject,
  profiledProject,
  selectionOf,
  type StoredSpec,
} from "@/test/support/profiled_project.ts";
import { roomIn } from "@/test/support/room_in.ts";

const HOUR_MS = 3_600_000;
const HEAP = {
  sampleTypes: [{ type: "alloc_space", unit: "bytes" }, { type: "inuse_space", unit: "bytes" }],
  periodType: { type: "space", unit: "bytes" },
  durationNanos: 0n,
};

/** Profiles of several services, environments and kinds along four days. */
function specs(): StoredSpec[] {
  return Array.from({ length: 40 }, (_, index) => ({
    at: new Date(Date.parse(`${day(-4)}T00:00:00Z`) + index * 2.3 * HOUR_MS),
    service: ["shop", "cart", "stock"][index % 3] ?? "",
    environment: index % 5 === 0 ? "staging" : "production",
    release: `shop@1.${index % 4}.0`,
    ...index % 7 === 0 && {
      head: HEAP,
      samples: [{ stack: ["main"], values: [10n, BigInt(index)] }],
    },
  }));
}

/** Everything that is read by hours, over times that begin and end within hours. */
async function readings(sql: Sql) {
  const scopes = [
    { start: new Date(`${day(-4)}T00:00:00Z`), end: new Date(`${day(0)}T00:00:00Z`) },
    { start: new Date(`${day(-3)}T04:17:00Z`), end: new Date(`${day(-1)}T21:41:00Z`) },
    { start: new Date(`${day(-3)}T04:10:00Z`), end: new Date(`${day(-3)}T04:50:00Z`) },
  ];
  const found = [];
  for (const scope of scopes) {
    for (const more of [{}, { environments: ["production"] }, { services: ["shop", "cart"] }]) {
      const base = selectionOf({ services: [], environments: [], releases: [], ...scope, ...more });
      const heap = { type: "inuse_space", unit: "bytes" };
      found.push(
        await readProfiledServices(sql, base),
        await readProfiledVersions(sql, { ...base, kind: undefined, type: undefined }),
        await readProfiledVersions(sql, base),
        await readVolume(sql, base, 4 * HOUR_MS),
        await readVolume(sql, { ...base, kind: "memory", type: heap }, 24 * HOUR_MS),
      );
    }
  }
  return found;
}

/** The same from the profiles themselves. */
async function fromProfiles(sql: Sql) {
  const [row] = await sql<{ hour: string }[]>`select hour::text from profile_hours_since`;
  await sql`update profile_hours_since set hour = '2100-01-01Z'`;
  const found = await readings(sql);
  await sql`update profile_hours_since set hour = ${row?.hour ?? ""}::text::timestamptz`;
  return found;
}

async function sameReadings({ sql }: ProfiledProject): Promise<void> {
  assert.deepEqual(await readings(sql), await fromProfiles(sql));
}

/** When something was seen first and last is known to the hour once profiles of that hour were deleted. */
async function sameCounts({ sql }: ProfiledProject): Promise<void> {
  const counts = (found: unknown) =>
    JSON.stringify(found, (key, value) => {
      if (key === "firstSeen" || key === "lastSeen") return undefined;
      const isVersions = Array.isArray(value) && value.some((each) => "firstSeen" in each);
      return isVersions
        ? value.toSorted((a, b) =>
          `${a.release}${a.environment}` < `${b.release}${b.environment}` ? -1 : 1
        )
        : value;
    });
  assert.equal(counts(await readings(sql)), counts(await fromProfiles(sql)));
}

async function hourRows(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::integer from profile_hours`;
  return row?.count ?? 0;
}

Deno.test("hours tell the same as the profiles themselves, before and after they are joined", async () => {
  await roomIn(24 * HOUR_MS, 30_000);
  await using project = await profiledProject();
  await project.profiles(...specs());
  await project.profiles(...specs());
  const before = await hourRows(project.sql);
  assert.ok(before >= 80);
  await sameReadings(project);

  assert.equal(await joinHours(project.sql), false);

  await sameReadings(project);
  assert.ok(await hourRows(project.sql) <= before / 2);
});

Deno.test("profiles that are deleted are counted down, and an hour without any goes", async () => {
  await using project = await profiledProject();
  const { sql } = project;
  await project.profiles(...specs());
  await joinHours(sql);

  await sql`delete from profiles where service = 'cart' or release = 'shop@1.2.0'`;
  await sameCounts(project);
  await joinHours(sql);
  await sameCounts(project);

  await sql`delete from profiles`;
  await joinHours(sql);
  assert.equal(await hourRows(sql), 0);
});

Deno.test("profiles from before there were hours are counted hour by hour, the newest first", async () => {
  await using project = await profiledProject();
  const { sql } = project;
  await sql`update profile_hours_since set hour = '2100-01-01Z'`;
  await project.profiles(...specs());
  assert.equal(await hourRows(sql), 0);

  for (let hours = 0; await countHourBefore(sql); hours++) {
    if (hours % 12 === 0) await sameReadings(project);
    // Late ones of hours that are counted, and of those that are not.
    if (hours === 5) await project.profiles({ at: `${day(-4)}T01:30:00Z` }, ...specs().slice(-2));
  }

  assert.equal(await countHourBefore(sql), false);
  const [since] = await sql<{ hour: string }[]>`select hour::text from profile_hours_since`;
  assert.equal(since?.hour, "-infinity");
  await sameReadings(project);
  const all = await readVolume(
    sql,
    selectionOf({ services: [], environments: [], releases: [], kind: "cpu", type: CPU }),
    24 * HOUR_MS,
  );
  assert.ok(all.length > 0);
});
