/**
 * How well a check's time holds while the app's own thread decodes 500 requests a second and stalls once a second. A server in a process of its
 * own answers after 50 ms and notes how long it really took, between the question's last byte and the answer's first;
 * the error is by how much a check says more than that.
 *
 *   deno run -A test/bench/uptime_probe.ts
 */
import { probe } from "@/lib/monitors/probes/probe.ts";
import { startProber } from "@/lib/monitors/probes/prober.ts";
import { LOCAL, target } from "../support/probe_targets.ts";
import { figure } from "./figures.ts";
import { cpuSeconds } from "./process_stats.ts";

const CHECKS_PER_SEC = 20;
const SECONDS = 20;
const INGEST_PER_SEC = 500;
const ANSWER_MS = 50;
const ALLOWED_P99_MS = 5;
const STALL_MS = 50;
/** One ingest request: an event of about 40 KB. */
const EVENT = JSON.stringify({
  frames: Array.from({ length: 200 }, (_, place) => ({
    function: `function_${place}`,
    filename: `/srv/app/src/modules/module_${place}/index.ts`,
    context: ["const a = 1;", "return a + b;", "}"],
    lineno: place,
    vars: { a: place, b: String(place).repeat(10) },
  })),
});

const [role, argument = ""] = Deno.args;
if (role === "target") await serveTarget();
else if (role === "load") await sendLoad(argument);
else await measure();

async function serveTarget(): Promise<void> {
  const took: Record<string, number> = {};
  await Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: tellPort }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/took") return Response.json(took);
    const began = performance.now();
    await new Promise((resolve) => setTimeout(resolve, ANSWER_MS));
    took[pathname] = performance.now() - began;
    return new Response("ok");
  }).finished;
}

function tellPort({ port }: { readonly port: number }): void {
  console.log(port);
}

/** Keeps the pace whatever the answers do. */
async function sendLoad(url: string): Promise<void> {
  const began = performance.now();
  for (let sent = 0;; sent++) {
    const due = began + sent * 1_000 / INGEST_PER_SEC;
    const ms = due - performance.now();
    if (ms > 1) await new Promise((resolve) => setTimeout(resolve, ms));
    fetch(url, { method: "POST", body: EVENT }).then((answer) => answer.text()).catch(() => {});
  }
}

function start(...args: string[]): Deno.ChildProcess {
  return new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--no-check", import.meta.filename ?? "", ...args],
    stdout: "piped",
  }).spawn();
}

async function measure(): Promise<void> {
  const server = start("target");
  const reader = server.stdout.getReader();
  const port = Number(new TextDecoder().decode((await reader.read()).value));
  const origin = `http://127.0.0.1:${port}`;
  const prober = startProber({ policy: LOCAL, log: console });
  let ingested = 0;
  const ingest = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (request) => {
    const event = JSON.parse(await request.text());
    await crypto.subtle.digest("SHA-256", new TextEncoder().encode(JSON.stringify(event)));
    ingested++;
    return new Response("{}");
  });
  const inThread = (url: string) => prober.probe(target({ kind: "http", url }));
  const beside = (url: string) => probe(target({ kind: "http", url }), { policy: LOCAL });

  await errors("warm-up", origin, inThread, 2);
  const cpu = cpuSeconds(Deno.pid);
  report("no load, in a thread", await errors("idle", origin, inThread));
  const cpuMs = (cpuSeconds(Deno.pid) - cpu) * 1_000 / (SECONDS * CHECKS_PER_SEC);
  const load = start("load", `http://127.0.0.1:${ingest.addr.port}/`);
  setInterval(stall, 1_000);
  await errors("warm", origin, inThread, 3);
  const [before, began] = [ingested, performance.now()];
  const loaded = await errors("loaded", origin, inThread);
  const perSec = (ingested - before) / (performance.now() - began) * 1_000;
  report("under load, in a thread", loaded);
  report("under load, beside the app", await errors("beside", origin, beside));
  figure("ingest requests a second", perSec.toFixed(0));
  const share = 1_000 / 60 * cpuMs / 1_000 * 100;
  figure(
    "CPU of a check",
    `${cpuMs.toFixed(2)} ms: 1,000 a minute are ${share.toFixed(1)} % of a core`,
  );

  prober.close();
  for (const child of [load, server]) child.kill("SIGKILL");
  const isGood = at(loaded, 0.99) <= ALLOWED_P99_MS && perSec >= INGEST_PER_SEC * 0.95;
  console.log(isGood ? "good" : `not good: p99 may be ${ALLOWED_P99_MS} ms`);
  Deno.exit(isGood ? 0 : 1);
}

/** What a large profile does to its thread. */
function stall(): void {
  const until = performance.now() + STALL_MS;
  while (performance.now() < until);
}

/** By how many milliseconds each check was off, in order. */
async function errors(
  name: string,
  origin: string,
  check: (url: string) => ReturnType<typeof probe>,
  seconds = SECONDS,
): Promise<number[]> {
  const said = new Map<string, Promise<number>>();
  const began = performance.now();
  for (let number = 0; number < seconds * CHECKS_PER_SEC; number++) {
    const ms = began + number * 1_000 / CHECKS_PER_SEC - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
    const path = `/${name}/${number}`;
    said.set(path, check(origin + path).then(({ phases }) => phases.firstByte ?? Infinity));
  }
  await Promise.all(said.values());
  const took: Record<string, number> = await (await fetch(`${origin}/took`)).json();
  const off = [...said].map(async ([path, ms]) => Math.abs(await ms - (took[path] ?? Infinity)));
  return (await Promise.all(off)).sort((a, b) => a - b);
}

function at(sorted: readonly number[], share: number): number {
  return sorted[Math.ceil(sorted.length * share) - 1] ?? NaN;
}

function report(label: string, sorted: readonly number[]): void {
  const shown = [0.5, 0.95, 0.99, 1].map((share) => at(sorted, share).toFixed(2).padStart(7));
  figure(label, `error p50 ${shown[0]}  p95 ${shown[1]}  p99 ${shown[2]}  most ${shown[3]} ms`);
}
