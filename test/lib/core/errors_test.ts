import assert from "node:assert/strict";
import { failureOf, sqlStateOf } from "@/lib/core/errors.ts";

function refused(code: string, fields: Readonly<Record<string, string>> = {}): Error {
  return Object.assign(new Error("of the database"), { code, severity: "ERROR", ...fields });
}

const FAILURES: readonly (readonly [failure: string, codes: readonly string[]])[] = [
  ["data", ["21000", "22P02", "23505", "54000", "UNDEFINED_VALUE"]],
  [
    "statement",
    ["0A000", "42501", "42601", "42703", "42P01", "P0001", "XX000", "XX002", "3F000", "09000"],
  ],
  ["conflict", ["40001", "40P01"]],
  [
    "unavailable",
    ["08006", "25006", "28P01", "53100", "53300", "55P03", "57014", "57P01", "58030", "3D000"],
  ],
  ["unavailable", ["CONNECTION_CLOSED", "CONNECT_TIMEOUT", "EPIPE", "ECONNREFUSED", ""]],
];

for (const [failure, codes] of FAILURES) {
  for (const code of codes) {
    Deno.test(`${code || "an error without a code"} is a failure of the kind ${failure}`, () => {
      assert.equal(failureOf(refused(code)), failure);
    });
  }
}

Deno.test("an error that ends the connection is an outage, whatever its code", () => {
  for (const severity of ["FATAL", "PANIC"]) {
    assert.equal(failureOf(refused("XX000", { severity })), "unavailable");
  }
});

Deno.test("a worker of Citus that is lost is an outage, though it is told as an internal error", () => {
  for (
    const message of [
      "failure on connection marked as essential: 10.0.0.7:5432",
      "terminating connection due to unexpected postmaster exit",
    ]
  ) assert.equal(failureOf(refused("XX000", { message })), "unavailable");
});

Deno.test("a prepared statement from before a migration may succeed when it is tried again", () => {
  assert.equal(failureOf(refused("0A000", { routine: "RevalidateCachedQuery" })), "conflict");
});

Deno.test("what only wrong code throws is no outage", () => {
  assert.equal(failureOf(new TypeError("x is undefined")), "statement");
  assert.equal(failureOf(new RangeError("Invalid time value")), "statement");
  // The driver's own carry a code.
  assert.equal(failureOf(Object.assign(new TypeError("x"), { code: "ECONNRESET" })), "unavailable");
  assert.equal(failureOf("no error at all"), "unavailable");
});

Deno.test("only codes that Postgres answers are its states", () => {
  assert.equal(sqlStateOf(refused("42P01")), "42P01");
  for (const code of ["EPIPE", "CONNECTION_CLOSED", "UNDEFINED_VALUE"]) {
    assert.equal(sqlStateOf(refused(code)), "");
  }
});
