import assert from "node:assert/strict";
import { isRegression } from "@/lib/errors/workflow/regression.ts";
import type { Resolution } from "@/lib/errors/workflow/state.ts";

const RESOLVED_AT = new Date("2026-11-20T12:00:00Z");
const LATER = new Date("2026-11-21T12:00:00Z");
const EARLIER = new Date("2026-11-20T11:00:00Z");

const inRelease = (version: string): Resolution => ({ kind: "release", version });
const next = (after: string): Resolution => ({ kind: "next", after });
const COMMIT: Resolution = { kind: "commit", commit: "a3f5c2d", repository: "acme/shop" };

interface Case {
  readonly name: string;
  readonly resolution: Resolution | null;
  readonly release: string;
  readonly receivedAt?: Date;
  /** When releases began; absent: never heard of, or deleted. */
  readonly times?: Readonly<Record<string, string>>;
  readonly reopens: boolean;
}

const CASES: readonly Case[] = [
  { name: "resolved now, any release", resolution: null, release: "", reopens: true },
  {
    name: "received before the resolution",
    resolution: null,
    release: "",
    receivedAt: EARLIER,
    reopens: false,
  },
  { name: "no release", resolution: inRelease("shop@1.2.3"), release: "", reopens: false },
  { name: "no release, next", resolution: next("shop@1.2.3"), release: "", reopens: false },
  { name: "equal", resolution: inRelease("shop@1.2.3"), release: "shop@1.2.3", reopens: true },
  { name: "equal, next", resolution: next("shop@1.2.3"), release: "shop@1.2.3", reopens: false },
  { name: "newer", resolution: inRelease("shop@1.2.3"), release: "shop@1.2.4", reopens: true },
  { name: "newer, next", resolution: next("shop@1.2.3"), release: "shop@1.10.0", reopens: true },
  { name: "older", resolution: inRelease("shop@1.2.3"), release: "shop@1.2.2", reopens: false },
  { name: "older, next", resolution: next("shop@1.2.3"), release: "shop@1.2.2", reopens: false },
  {
    name: "a hotfix of an old line, although it is younger",
    resolution: inRelease("shop@10.24.0"),
    release: "shop@10.18.7",
    times: { "shop@10.24.0": "2026-11-01", "shop@10.18.7": "2026-11-21" },
    reopens: false,
  },
  {
    name: "bare versions, older",
    resolution: inRelease("1.10.0"),
    release: "1.9.9",
    reopens: false,
  },
  {
    name: "bare versions, newer",
    resolution: inRelease("1.9.9"),
    release: "1.10.0",
    reopens: true,
  },
  { name: "bare and with a package", resolution: next("shop@1.9"), release: "1.10", reopens: true },
  {
    name: "a pre-release of the fixed version",
    resolution: inRelease("shop@2.0.0"),
    release: "shop@2.0.0-rc.1",
    reopens: false,
  },
  {
    name: "the final version after a pre-release",
    resolution: inRelease("shop@2.0.0-rc.1"),
    release: "shop@2.0.0",
    reopens: true,
  },
  {
    name: "another build of the same version",
    resolution: inRelease("shop@1.2.3+7"),
    release: "shop@1.2.3+9",
    reopens: true,
  },
  {
    name: "the resolving release was deleted: its text compares",
    resolution: inRelease("shop@2.0.0"),
    release: "shop@1.9.0",
    times: { "shop@1.9.0": "2026-11-21" },
    reopens: false,
  },
  {
    name: "commits as names, began earlier",
    resolution: inRelease("b2c3d4e5f6a7"),
    release: "a1b2c3d4e5f6",
    times: { b2c3d4e5f6a7: "2026-11-10", a1b2c3d4e5f6: "2026-11-09" },
    reopens: false,
  },
  {
    name: "commits as names, began later",
    resolution: next("b2c3d4e5f6a7"),
    release: "a1b2c3d4e5f6",
    times: { b2c3d4e5f6a7: "2026-11-10", a1b2c3d4e5f6: "2026-11-11" },
    reopens: true,
  },
  {
    name: "commits as names, the other deleted: it began before the resolution",
    resolution: inRelease("b2c3d4e5f6a7"),
    release: "a1b2c3d4e5f6",
    times: { a1b2c3d4e5f6: "2026-11-19" },
    reopens: false,
  },
  {
    name: "of another program of the project, which began later",
    resolution: next("backoffice@5.3.0"),
    release: "worker@1.14.0",
    times: { "backoffice@5.3.0": "2026-11-10", "worker@1.14.0": "2026-11-21" },
    reopens: true,
  },
  {
    name: "of another program of the project, which began earlier",
    resolution: inRelease("worker@1.14.0"),
    release: "backoffice@5.3.0",
    times: { "backoffice@5.3.0": "2026-11-10", "worker@1.14.0": "2026-11-20" },
    reopens: false,
  },
  {
    name: "a version that nobody released",
    resolution: inRelease("shop@1.2.3"),
    release: "shop@999.9.9",
    reopens: false,
  },
  {
    name: "a commit that no release has",
    resolution: COMMIT,
    release: "shop@9.0.0",
    reopens: false,
  },
];

for (const { name, resolution, release, receivedAt = LATER, times = {}, reopens } of CASES) {
  Deno.test(`an event ${reopens ? "reopens" : "does not reopen"} a resolved issue: ${name}`, () => {
    const began = new Map(Object.entries(times).map(([each, at]) => [each, new Date(at)]));
    const resolved = { resolution, resolvedAt: RESOLVED_AT };
    assert.equal(isRegression(resolved, { release, receivedAt }, began), reopens);
  });
}
