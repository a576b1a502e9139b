import assert from "node:assert/strict";
import fc from "fast-check";
import { normalizeStatement } from "@/lib/formats/spans/statement.ts";
import { inTime } from "@/test/support/time_budget.ts";

function check(cases: readonly (readonly [statement: string, normalized: string])[]): void {
  for (const [statement, normalized] of cases) {
    assert.equal(normalizeStatement(statement), normalized);
  }
}

Deno.test("SQL loses its literals, comments and line breaks", () => {
  check([
    [
      "SELECT * FROM users\n  WHERE id = 17 AND name = 'O''Brien' -- him\n LIMIT 10;",
      "SELECT * FROM users WHERE id = ? AND name = ? LIMIT ?",
    ],
    [
      "SELECT a /* hint */ FROM b WHERE x = -5.2e3 AND y = 0xFF",
      "SELECT a FROM b WHERE x = ? AND y = ?",
    ],
    ["UPDATE t SET a = 'it\\'s', b2 = 2", "UPDATE t SET a = ?, b2 = ?"],
    ["SELECT E'a\\'b' || N'c' || $tag$ 'x' $tag$", "SELECT ? || ? || ?"],
    ["SELECT * FROM t WHERE c LIKE 'unterminated", "SELECT * FROM t WHERE c LIKE ?"],
    [
      "SELECT a.b, t1.c2, `weird name` FROM [dbo].[T 1]",
      "SELECT a.b, t1.c2, `weird name` FROM [dbo].[T ?]",
    ],
    ["COMMIT;", "COMMIT"],
    ["  ", ""],
  ]);
});

Deno.test("placeholders of all drivers are the same", () => {
  for (const sign of ["?", "$1", ":id", "@p0", "%s", "%(id)s", "7", "'7'", "[Filtered]"]) {
    check([[`SELECT * FROM t WHERE id = ${sign}`, "SELECT * FROM t WHERE id = ?"]]);
  }
  check([["SELECT x::text, @@version", "SELECT x::text, @@version"]]);
});

Deno.test("lists and rows of values are as long as one", () => {
  check([
    ["SELECT * FROM t WHERE id IN (1, 2, 3)", "SELECT * FROM t WHERE id IN (?)"],
    ["SELECT * FROM t WHERE id IN ($1,$2)", "SELECT * FROM t WHERE id IN (?)"],
    ['SELECT * FROM t WHERE id IN ("a", "b")', "SELECT * FROM t WHERE id IN (?)"],
    [
      "INSERT INTO t (a, b) VALUES (1, 'x)'), (2, NULL), (3, now()) ON CONFLICT DO NOTHING",
      "INSERT INTO t (a, b) VALUES (?) ON CONFLICT DO NOTHING",
    ],
  ]);
});

Deno.test("names in double quotes stay, texts in them do not", () => {
  check([
    [
      'SELECT "users"."id" FROM "users" WHERE "users"."id" = "orders"."user_id"',
      'SELECT "users"."id" FROM "users" WHERE "users"."id" = "orders"."user_id"',
    ],
    ['SELECT * FROM t WHERE name = "ann"', "SELECT * FROM t WHERE name = ?"],
  ]);
});

Deno.test("names in double quotes after a literal are names, within the values of IN they are texts", () => {
  check([
    [
      'UPDATE "django_session" SET "session_data" = %s, "expire_date" = %s WHERE "id" = %s',
      'UPDATE "django_session" SET "session_data" = ?, "expire_date" = ? WHERE "id" = ?',
    ],
    ['SELECT %s, "a", 7, "b" FROM "t"', 'SELECT ?, "a", ?, "b" FROM "t"'],
    ['SELECT COALESCE("a", %s, "b") FROM "t"', 'SELECT COALESCE("a", ?, "b") FROM "t"'],
    [
      'SELECT a FROM t WHERE b IN (1, "x") AND c = 1, "d"',
      'SELECT a FROM t WHERE b IN (?) AND c = ?, "d"',
    ],
    [
      'SELECT a FROM t WHERE (b, c) IN ((1, "x"), (2, "y"))',
      "SELECT a FROM t WHERE (b, c) IN ((?))",
    ],
    [
      'SELECT a FROM t WHERE b IN (SELECT 1, "x" FROM u)',
      'SELECT a FROM t WHERE b IN (SELECT ?, "x" FROM u)',
    ],
  ]);
});

Deno.test("numbers within names that somebody counts with are folded", () => {
  check([
    ["SELECT * FROM events_20261121", "SELECT * FROM events_?"],
    ['SAVEPOINT "s140234_x2"', "SAVEPOINT ?"],
    ["RELEASE SAVEPOINT active_record_1", "RELEASE SAVEPOINT ?"],
  ]);
});

Deno.test("commands of Redis lose keys and values", () => {
  check([
    ["GET user:17:profile", "GET user:*"],
    ["get 'user:18'", "GET user:*"],
    ["SET 'session:abc' [Filtered]", "SET session:*"],
    ["SETEX ? ? ?", "SETEX ?"],
    ["HSET user_17 a b\nGET user_18\nGET user_19", "HSET user_*; GET user_*"],
    ['EVAL "return 1" 2 k1 k2', "EVAL ?"],
    ["PING", "PING"],
    ["SET search_path TO shop", "SET search_path TO shop"],
    ["Get user 17", "Get user ?"],
  ]);
});

Deno.test("commands of MongoDB keep their keys and their collection", () => {
  check([
    [
      '{"find":"users","filter":{"_id":"abc","n":{"$in":[1,2,3]}},"limit":1}',
      '{"find":"users","filter":{"_id":?,"n":{"$in":[?]}},"limit":?}',
    ],
    [
      '{"insert":"users","documents":[{"a":1},{"a":2}]}',
      '{"insert":"users","documents":[{"a":?}]}',
    ],
    ['db.users.find({"a": 1, b: ObjectId("5f")})', 'db.users.find({"a":?,"b":ObjectId(?)})'],
    ['{"find":"users","filter":{"_id":"cut o', '{"find":"users","filter":{"_id":?'],
  ]);
});

Deno.test("normalising is bounded in time and length for whatever is sent", () => {
  const parts = ["(", "'", '"', "[{", "?,", "a", "1 ", '{"a":', "-", "$a", "/*", "VALUES (", ":"];
  parts.push("GET ", "\n", "%(", "`", "\\", "{ ", "e1.", "0x", "😀", "\ud800", "$a$", "IN (");
  for (const part of parts) {
    const text = part.repeat(Math.ceil(200_000 / part.length));
    assert.ok(inTime(100, () => normalizeStatement(text), part).length <= 1_000);
  }
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...parts, "x", ")", "]", "}", ","), { maxLength: 300 }),
      (text) => {
        const result = normalizeStatement(text.join(""));
        assert.ok(result.length <= 1_000 && result.isWellFormed());
      },
    ),
  );
});
