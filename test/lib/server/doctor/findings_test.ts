import assert from "node:assert/strict";
import { diskFinding } from "@/lib/server/doctor/machine.ts";
import { certificateFinding } from "@/lib/server/doctor/outside.ts";
import { clockFinding, migrationFinding } from "@/lib/server/doctor/postgres.ts";
import { checkVersions } from "@/lib/server/doctor/machine.ts";
import { exitCode, jsonReport, textReport } from "@/lib/server/doctor/report.ts";
import { ok, problem, warning } from "@/lib/server/doctor/finding.ts";

const GB = 1_000_000_000;

Deno.test("a disk is a problem when nothing is taken any more, and a warning when that comes within two weeks", () => {
  const level = (freeGb: number, days: number | null) =>
    diskFinding({ freeBytes: freeGb * GB, totalBytes: 100 * GB }, days).level;
  assert.equal(level(0.1, null), "problem");
  assert.equal(level(50, 13), "warning");
  assert.equal(level(1, null), "warning");
  assert.equal(level(50, 15), "ok");
  assert.equal(level(50, null), "ok");
  assert.match(diskFinding({ freeBytes: GB, totalBytes: 2 * GB }, 3.7).meaning, /full in 3 days/);
});

Deno.test("migrations: a newer database and one that is too old are problems, one that waits is a warning", () => {
  const version = { first: 26, known: 38 };
  const level = (applied: number) => migrationFinding(applied, version).level;
  assert.deepEqual([0, 12, 30, 38, 39].map(level), ["ok", "problem", "warning", "ok", "problem"]);
});

Deno.test("clocks may differ by two seconds, and by a minute with a warning", () => {
  const level = (ms: number) => clockFinding(ms, "Postgres").level;
  assert.deepEqual([0, -1_900, 2_500, -90_000].map(level), ["ok", "ok", "warning", "problem"]);
  assert.match(clockFinding(-90_000, "Postgres").meaning, /90\.0 s behind/);
});

Deno.test("a certificate that ends within two weeks is a warning, one that nobody trusts a problem", () => {
  const level = (daysLeft: number, problem: string | null = null) =>
    certificateFinding({ daysLeft, problem }).level;
  assert.deepEqual([level(40), level(13)], ["ok", "warning"]);
  assert.equal(level(40, "The certificate is self-signed."), "problem");
});

Deno.test("an old Deno is told", () => {
  assert.equal(checkVersions("2.1.4")[0]?.level, "warning");
  assert.equal(checkVersions("2.9.6")[0]?.level, "ok");
  assert.equal(checkVersions("3.0.0")[0]?.level, "ok");
});

Deno.test("reports say what to do, count, and end with 1 when there is a problem", () => {
  const findings = [
    ok("a", "Fine."),
    warning("bb", "Odd.", "Look."),
    problem("c", "Bad.", "Mend."),
  ];
  const text = textReport(findings).split("\n").slice(2);
  assert.deepEqual(text, [
    "✓ a   Fine.",
    "! bb  Odd.",
    "      → Look.",
    "✗ c   Bad.",
    "      → Mend.",
    "",
    "1 problem, 1 warning.",
    "",
  ]);
  assert.equal(exitCode(findings), 1);
  assert.equal(exitCode(findings.slice(0, 2)), 0);
  const json = JSON.parse(jsonReport(findings));
  assert.deepEqual([json.problems, json.warnings, json.findings.length], [1, 1, 3]);
});
