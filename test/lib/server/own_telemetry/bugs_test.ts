import assert from "node:assert/strict";
import { InvalidInput, StoreUnavailable } from "@/lib/core/errors.ts";
import { keepWork } from "@/lib/core/own_work.ts";
import { BugReports, reportingLog } from "@/lib/server/own_telemetry/bugs.ts";
import { bugEnvelope } from "@/lib/server/own_telemetry/envelopes.ts";
import { silentLogger } from "@/test/support/silent_logger.ts";

function wanted(): BugReports {
  const reports = new BugReports();
  reports.isWanted = true;
  return reports;
}

/** As the driver throws it for a row that breaks a rule. */
function databaseError(): Error {
  return Object.assign(new Error('duplicate key: (email)=(anna@shop.example) in "users"'), {
    name: "PostgresError",
    code: "23505",
    detail: "Key (email)=(anna@shop.example) already exists.",
    constraint_name: "users_email_key",
    table_name: "users",
    query: "\n insert into end_users (email) values ('anna@shop.example')",
    parameters: ["anna@shop.example"],
  });
}

Deno.test("nothing of what tenants sent is in a report: of database errors code, statement and constraint, of others their class", () => {
  const reports = wanted();
  const parse = () => JSON.parse('{"mail": anna@shop.example}');
  let syntax: unknown;
  try {
    parse();
  } catch (error) {
    syntax = error;
  }
  reports.add("cannot store", databaseError(), { path: "/projects/anna@shop.example" });
  reports.add("cannot read", syntax);
  reports.add("cannot fetch", new TypeError("Invalid URL: 'https://anna@shop.example/7'"));
  reports.add("cannot go on", new Error("no anna@shop.example"));

  const { bugs } = reports.take();

  const sent = bugs.map(bugEnvelope).join("");
  assert.equal(bugs.length, 4);
  assert.doesNotMatch(sent, /anna|shop\.example/);
  assert.deepEqual(bugs[0]?.tags, {
    constraint: "users_email_key",
    table: "users",
    sqlstate: "23505",
    statement: "insert into end_users",
  });
  assert.deepEqual(bugs.map(({ message }) => message), [
    "23505",
    "SyntaxError",
    "Invalid URL: …",
    "Error",
  ]);
  const frame = bugs[3]?.frames.at(-1);
  assert.equal(frame?.filename, "test/lib/server/own_telemetry/bugs_test.ts");
  assert.ok(frame?.in_app);
});

Deno.test("an outage, what a client did wrong, and what nobody wants to know are no reports", () => {
  const reports = wanted();
  const log = reportingLog(silentLogger, reports);
  for (
    const error of [
      new StoreUnavailable("Postgres is away"),
      new InvalidInput("name", "Too long."),
      Object.assign(new Error("terminating connection"), { code: "57P01" }),
      Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
      new Deno.errors.ConnectionReset("reset"),
    ]
  ) log.error("cannot do it", { error });
  log.error("without an error");
  assert.deepEqual(reports.take().bugs, []);

  reports.isWanted = false;
  log.error("cannot do it", { error: new TypeError("x is not a function") });
  reports.isWanted = true;
  assert.deepEqual(reports.take().bugs, []);
});

Deno.test("the same error is told once a minute, and no more than twenty of all; what is left out is counted", () => {
  const reports = wanted();
  const log = reportingLog(silentLogger, reports);
  for (let round = 0; round < 3; round++) {
    log.error("the same", { error: "its stack" }, new TypeError("x is not a function"));
  }
  for (let number = 0; number < 30; number++) log.error(`error ${number}`, { error: new Error() });

  const { bugs, dropped } = reports.take();

  assert.equal(bugs.length, 20);
  assert.equal(dropped, 11);
  assert.equal(bugs.filter(({ where }) => where === "the same").length, 1);
});

Deno.test("nothing about the project that takes the reports is reported, nor anything while one is stored", () => {
  const reports = wanted();
  keepWork(true, "42");
  try {
    reports.add("cannot store", new TypeError("bug"), { project: "42" });
    reports.add("cannot store", new TypeError("bug"), { projectId: "42" });
    reports.isStoringOwn = true;
    reports.add("cannot take a request", new TypeError("bug"));
    reports.isStoringOwn = false;
    assert.deepEqual(reports.take().bugs, []);

    reports.add("cannot store", new TypeError("bug"), { project: "43" });
    assert.equal(reports.take().bugs.length, 1);
  } finally {
    keepWork(false, null);
  }
});
