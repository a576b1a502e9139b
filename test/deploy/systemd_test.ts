/** The unit of systemd, held to how `deno task start` starts and how Watchpost ends. */
import assert from "node:assert/strict";
import { stopTimes } from "../../lib/server/listen.ts";
import { isRead, startTask } from "../support/start_task.ts";

const UNIT = Deno.readTextFileSync("deploy/systemd/watchpost.service");

/** All values of a directive, in their order. */
function values(name: string): string[] {
  return [...UNIT.matchAll(new RegExp(`^${name}=(.*)$`, "gm"))].map(([, value = ""]) => value);
}

const environment = values("Environment").flatMap((line) => line.split(" "));

Deno.test("the unit starts as `deno task start` does, without a build and without the network", () => {
  const { env, flags, program } = startTask();
  const [line = ""] = values("ExecStart");
  const [, run, ...given] = line.split(" ");
  assert.equal(run, "run");
  assert.deepEqual(given.slice(-2), [program, "--built"]);
  assert.deepEqual(given.slice(0, -2).sort(), [...flags, "--cached-only"].sort());
  for (const [name, value] of Object.entries(env)) {
    assert.ok(environment.includes(`${name}=${value}`), name);
  }
});

Deno.test("every variable of the unit is a setting, or one that Deno or the C library reads", () => {
  const unknown = environment.map((pair) => pair.split("=")[0] ?? "").filter((name) =>
    !isRead(name)
  );
  assert.deepEqual(unknown, []);
});

Deno.test("the unit keeps what is stored in its own folder, and may write no other", () => {
  const [folder] = values("StateDirectory");
  assert.ok(environment.includes(`SERVICE_DATA_DIR=/var/lib/${folder}`));
  assert.deepEqual(values("ProtectSystem"), ["strict"]);
  assert.deepEqual(values("ReadWritePaths"), []);
  assert.deepEqual(values("PrivateTmp"), ["yes"]);
});

Deno.test("the unit is nobody's way to more rights, and lets V8 compile", () => {
  assert.deepEqual(values("User"), ["watchpost"]);
  assert.deepEqual(values("NoNewPrivileges"), ["yes"]);
  assert.deepEqual(values("CapabilityBoundingSet"), [""]);
  assert.deepEqual(values("MemoryDenyWriteExecute"), []);
});

Deno.test("systemd waits for longer than Watchpost takes to end, and starts it anew", () => {
  assert.ok(Number(values("TimeoutStopSec")[0]) * 1_000 > stopTimes({ platform: null }).exitMs);
  assert.deepEqual(values("Restart"), ["always"]);
});

Deno.test("the unit sends no SIGHUP by itself, which ends a process that has no certificate to read anew", () => {
  assert.deepEqual(values("ExecReload"), []);
});
