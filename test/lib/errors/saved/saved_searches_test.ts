import assert from "node:assert/strict";
import { InvalidInput } from "@/lib/core/errors.ts";
import {
  MAX_RECENT,
  pinnedSearch,
  pinSearch,
  recentSearches,
  rememberSearch,
  unpinSearch,
} from "@/lib/errors/saved/habits.ts";
import {
  changeSearch,
  deleteSearch,
  listSearches,
  saveSearch,
} from "@/lib/errors/saved/saved_searches.ts";
import { testDatabase } from "@/test/support/database.ts";

const ANN = { organizationId: "1", userId: "ann" };
const BOB = { organizationId: "1", userId: "bob" };
const EVE = { organizationId: "2", userId: "eve" };
const MINE = { name: "Mine", query: "assigned:me", sort: "inbox", isShared: false } as const;

Deno.test("searches are seen by who saved them; shared ones by the organization, and by no other", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const own = await saveSearch(sql, ANN, MINE);
  await saveSearch(sql, ANN, { ...MINE, name: "All of us", isShared: true });
  assert.deepEqual({ ...own, id: "", createdAt: null }, {
    ...MINE,
    id: "",
    ownerId: "ann",
    createdAt: null,
  });
  const names = async (place: Parameters<typeof listSearches>[1]) =>
    (await listSearches(sql, place)).map(({ name }) => name);
  assert.deepEqual(await names(ANN), ["All of us", "Mine"]);
  assert.deepEqual(await names(BOB), ["All of us"]);
  assert.deepEqual(await names({ organizationId: "1", userId: null }), ["All of us"]);
  assert.deepEqual(await names(EVE), []);
});

Deno.test("searches are changed by who saved them; shared ones also by who may", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const own = await saveSearch(sql, ANN, MINE);
  const shared = await saveSearch(sql, ANN, { ...MINE, isShared: true });
  const member = { ...BOB, mayChangeShared: false };
  const admin = { ...BOB, mayChangeShared: true };
  const stranger = { ...EVE, mayChangeShared: true };
  for (const by of [member, stranger]) {
    assert.equal(await changeSearch(sql, by, shared.id, { name: "x" }), null);
    assert.equal(await deleteSearch(sql, by, shared.id), false);
  }
  assert.equal(await changeSearch(sql, admin, own.id, { name: "x" }), null);
  assert.equal((await changeSearch(sql, admin, shared.id, { name: " Ours " }))?.name, "Ours");
  const by = { ...ANN, mayChangeShared: false };
  const changed = await changeSearch(sql, by, own.id, { query: "is:new\0", sort: "trends" });
  assert.deepEqual([changed?.name, changed?.query, changed?.sort], ["Mine", "is:new", "trends"]);
  assert.equal(await deleteSearch(sql, by, own.id), true);
  assert.equal(await deleteSearch(sql, by, own.id), false);
  assert.equal(await deleteSearch(sql, by, "12e"), false);
});

Deno.test("a search that cannot be kept is refused in words", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const refuses = (fields: Partial<typeof MINE>, words: RegExp) =>
    assert.rejects(saveSearch(sql, ANN, { ...MINE, ...fields }), (error) => {
      assert.ok(error instanceof InvalidInput);
      assert.match(error.message, words);
      return true;
    });
  await refuses({ name: " " as "Mine" }, /Name the search/);
  await refuses({ name: "x".repeat(101) as "Mine" }, /at most 100/);
  await refuses({ query: "x".repeat(1_001) as "assigned:me" }, /at most 1,000/);
  for (let i = 0; i < 100; i++) await saveSearch(sql, ANN, MINE);
  await refuses({}, /100 searches are the most/);
  await saveSearch(sql, BOB, MINE);
});

Deno.test("a pin is of one person and project, or of all projects without one of their own", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const pinned = async (place: typeof ANN, project: string) =>
    (await pinnedSearch(sql, place, project))?.query ?? null;
  assert.equal(await pinned(ANN, "7"), null);
  await pinSearch(sql, ANN, "0", { query: "is:new", sort: "inbox" });
  await pinSearch(sql, ANN, "7", { query: "a", sort: "last_seen" });
  await pinSearch(sql, ANN, "7", { query: "b", sort: "last_seen" });
  assert.equal(await pinned(ANN, "7"), "b");
  assert.equal(await pinned(ANN, "8"), "is:new");
  assert.equal(await pinned(BOB, "7"), null);
  assert.equal(await pinned({ ...ANN, organizationId: "2" }, "8"), null);
  await unpinSearch(sql, ANN, "7");
  assert.equal(await pinned(ANN, "7"), null);
});

Deno.test("the last searches of each person are remembered, once each", async () => {
  await using database = await testDatabase();
  const { sql } = database;
  const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute));
  const recent = async (part = "") =>
    (await recentSearches(sql, ANN, 100, part)).map(({ query }) => query);
  assert.notEqual(await rememberSearch(sql, ANN, "level:fatal", at(0)), null);
  assert.notEqual(await rememberSearch(sql, ANN, " Timeout ", at(1)), null);
  assert.equal(await rememberSearch(sql, ANN, "level:fatal", at(10)), null);
  assert.deepEqual(await recent(), ["level:fatal", "Timeout"]);
  assert.deepEqual(await recent("time"), ["Timeout"]);
  assert.deepEqual(await recentSearches(sql, BOB, 9), []);
  assert.equal(await rememberSearch(sql, ANN, " ", at(11)), null);
  assert.equal(await rememberSearch(sql, ANN, "x".repeat(1_001), at(11)), null);
  for (let i = 0; i < MAX_RECENT + 3; i++) await rememberSearch(sql, ANN, `q${i}`, at(20 + i));
  const all = await recent();
  assert.deepEqual([all.length, all[0]], [MAX_RECENT, `q${MAX_RECENT + 2}`]);
});
