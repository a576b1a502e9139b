import { VERSION } from "../../core/config.ts";
import type { Finding } from "./finding.ts";

const SIGNS: Readonly<Record<Finding["level"], string>> = { ok: "✓", warning: "!", problem: "✗" };

/** For people: a line a finding, and below it what to do. */
export function textReport(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  const lines = findings.flatMap(({ check, level, meaning, remedy }) => [
    `${SIGNS[level]} ${check.padEnd(width)}  ${meaning}`,
    ...remedy === null ? [] : [`  ${" ".repeat(width)}  → ${remedy}`],
  ]);
  return [`Watchpost ${VERSION}`, "", ...lines, "", summary(findings), ""].join("\n");
}

/** For programs. */
export function jsonReport(findings: readonly Finding[]): string {
  const { problems, warnings } = count(findings);
  return JSON.stringify({ version: VERSION, problems, warnings, findings }, null, 2) + "\n";
}

/** 1 with a problem, 0 otherwise. */
export function exitCode(findings: readonly Finding[]): number {
  return count(findings).problems > 0 ? 1 : 0;
}

function count(findings: readonly Finding[]) {
  const of = (level: Finding["level"]) => findings.filter((each) => each.level === level).length;
  return { problems: of("problem"), warnings: of("warning") };
}

function summary(findings: readonly Finding[]): string {
  const { problems, warnings } = count(findings);
  if (problems + warnings === 0) return "All is well.";
  return `${problems} ${problems === 1 ? "problem" : "problems"}, ${warnings} ${
    warnings === 1 ? "warning" : "warnings"
  }.`;
}
