/** Programs that send what no program should, to the whole app: nothing of it may end in an error of ours. */
import assert from "node:assert/strict";
import process from "node:process";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import type { LogFields, Logger } from "@/lib/core/log.ts";
import { TimeLimitExceeded } from "@/lib/core/waiting.ts";
import { errorEnvelope } from "./envelopes.ts";
import { watchStalls } from "./stalls.ts";
import { authHeader } from "./test_intake.ts";
import { type Acme, acme } from "./ui_app.ts";

/** In which a request must be answered: most take some milliseconds. What others take of the machine is not counted. */
const MAX_MS = 2_000;
/** Of a request that this process hardly works for: it waits for something. */
const MAX_WAIT_MS = 5 * MAX_MS;
/** Above it a request is sent again: other work on the machine is not its fault. What is its own fault comes each time. */
const ATTEMPTS = 5;
/** What a harmless request takes at most on a quiet machine; where it takes more, so may others. */
const HARMLESS_MS = 50;
const HARMLESS_TIMES = 3;
const MAX_PAGE_MS = 5_000;
/** What stood still for a while may be told of as slow for so long afterwards. */
const STALL_TOLD_MS = 10_000;
const AT_ONCE = 16;
/** What a refusal says at least. */
const SENTENCE = 10;

export interface Sent {
  readonly app: Acme;
  readonly projectId: string;
  /** Of a server. */
  readonly key: string;
  /** Ids of what is good beside it, each of which must be stored. */
  readonly good: string[];
  /** Posts a body, of which nothing may be told as an error of ours. @returns the status */
  post(path: string, body: BodyInit, type?: string, headers?: HeadersInit): Promise<number>;
  /** Posts many, some at once. @returns how often which status came */
  postAll(path: string, bodies: Iterable<BodyInit>, type?: string): Promise<Map<number, number>>;
  /** The same with any method and without the key. */
  send(path: string, init: RequestInit): Promise<number>;
  /** How much slower this machine is at this moment than a quiet one, judged by harmless requests; 1 at least. */
  slowness(): Promise<number>;
}

/** A project of an app of its own, and who sends to it. */
export async function senders(): Promise<Sent & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const stalls = opened.use(watchStalls());
  /** What an operator would be told, but not that something was slow while nothing went on. */
  const told: unknown[] = [];
  const tell = (message: string, fields?: LogFields) => {
    if (isOfTime(fields)) {
      // The answer to that request says so too.
      if (message === "cannot take a request") return;
      if (stalls.stoodStillSince(performance.now() - STALL_TOLD_MS)) return;
    }
    told.push([message, fields]);
  };
  const log: Logger = { info() {}, warn: tell, error: tell };
  const app = await acme({ ingestRatePerSec: 1_000_000 }, log);
  const { kv, spool } = app.services;
  const organizationId = app.organization.id;
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const key = (await listKeys(kv, id)).find(({ type }) => type === "server")?.publicKey ?? "";
  async function send(path: string, init: RequestInit): Promise<number> {
    for (let left = ATTEMPTS;; left--) {
      const { status, ms, workedMs } = await sendOnce(path, init, left === 1);
      if (ms < MAX_MS && status < 500) return status;
      if (left > 1) continue;
      const slower = await slowness();
      const isFine = workedMs < MAX_MS * slower && ms < MAX_WAIT_MS * slower;
      assert.ok(isFine, isFine ? "" : `${ms} ms, ${workedMs} of work ${path} ${shown(init)}`);
      return status;
    }
  }
  async function slowness(): Promise<number> {
    let fastest = Infinity;
    for (let time = 0; time < HARMLESS_TIMES; time++) {
      const began = performance.now();
      const { body } = errorEnvelope();
      const request = { method: "POST", headers: auth, body };
      const path = `http://localhost:8000/api/${id}/envelope/`;
      await (await app.handle(new Request(path, request))).text();
      fastest = Math.min(fastest, performance.now() - began);
    }
    return Math.max(1, fastest / HARMLESS_MS);
  }
  async function sendOnce(path: string, init: RequestInit, isLast: boolean) {
    const began = performance.now();
    const usedBefore = process.cpuUsage();
    const answer = await app.handle(new Request(new URL(path, "http://localhost:8000"), init));
    const text = await answer.text();
    const ms = performance.now() - began;
    const used = process.cpuUsage(usedBefore);
    // Of all its threads, which may work at the same time.
    const workedMs = Math.min(ms, (used.user + used.system) / 1_000);
    const { status } = answer;
    const what = () => `${path.slice(0, 1_000)} ${status} ${text.slice(0, 300)} ${shown(init)}`;
    // A store that did not answer in time, perhaps because nothing went on.
    const isHeldUp = status === 503 && told.length === 0 && !isLast;
    const isFine = status < 500 || isHeldUp;
    assert.ok(isFine, isFine ? "" : `${what()} ${Deno.inspect(told)}`);
    // It is said in each OTLP answer's own encoding, and nowhere in the answer to what reads none.
    const isSaid = status < 400 || text.length >= SENTENCE || init.method === "HEAD";
    assert.ok(isSaid, isSaid ? "" : what());
    if (status < 300) {
      const { groups } = await spool.aside.state();
      assert.deepEqual(groups, [], groups.length === 0 ? "" : what());
    }
    return { status, ms, workedMs };
  }
  const post: Sent["post"] = (path, body, type = "application/json", headers = {}) =>
    send(path, { method: "POST", headers: { ...auth, "content-type": type, ...headers }, body });
  const auth = { ...authHeader(key), authorization: `Bearer ${key}` };
  const watch = opened.move();
  return {
    app,
    projectId: id,
    key,
    good: [],
    send,
    post,
    slowness,
    async postAll(path, bodies, type) {
      const counts = new Map<number, number>();
      await someAtOnce(bodies, async (body) => {
        const status = await post(path, body, type);
        counts.set(status, (counts.get(status) ?? 0) + 1);
      });
      return counts;
    },
    async [Symbol.asyncDispose]() {
      await app.services.refusals.close();
      await app[Symbol.asyncDispose]();
      await watch.disposeAsync();
      assert.deepEqual(told, []);
    },
  };
}

/** Whether a line of the log says that something took longer than it may. */
function isOfTime(fields: LogFields = {}): boolean {
  return [fields.error, fields.reason].some((error) =>
    error instanceof TimeLimitExceeded ||
    error instanceof Error && error.cause instanceof TimeLimitExceeded
  );
}

/** A body as somebody can send it again by hand. */
function shown({ body }: RequestInit): string {
  if (!(body instanceof Uint8Array)) return String(body).slice(0, 5_000);
  return `${body.length} bytes ${body.subarray(0, 2_000).toHex()}`;
}

export function newId(): string {
  return crypto.randomUUID().replaceAll("-", "");
}

export function* chunks<T>(all: Iterable<T>, size: number): Iterable<readonly T[]> {
  let some: T[] = [];
  for (const each of all) {
    some.push(each);
    if (some.length < size) continue;
    yield some;
    some = [];
  }
  if (some.length > 0) yield some;
}

/** Does something with each, some of them at the same time. */
export async function someAtOnce<T>(
  all: Iterable<T>,
  work: (each: T) => Promise<unknown>,
): Promise<void> {
  for (const some of chunks(all, AT_ONCE)) await Promise.all(some.map(work));
}

/** Holds what is stored to what was good. @param stored ids in hex */
export function assertAllAmong({ good }: Sent, stored: readonly { readonly id: string }[]): void {
  const ids = new Set(stored.map(({ id }) => id));
  assert.deepEqual(good.filter((id) => !ids.has(id)), []);
}

/** Of pages that differ in ids and in what is asked of them alone. */
const PAGES_ALIKE = 8;

/** Does once what the clock does with what is stored, and follows the links of a project's pages. */
export async function pagesAnswer({ app, projectId, slowness }: Sent): Promise<void> {
  await app.services.catchUp();
  const visits = new Map<string, number>();
  const seen = new Set<string>();
  const waiting = [`/projects/${projectId}/issues`];
  for (const address of waiting) {
    const { pathname } = new URL(address, "http://localhost");
    const shape = pathname.split("/").map((part) => /\d/.test(part) ? "*" : part).join("/");
    const visit = visits.get(shape) ?? 0;
    const isOurs = pathname.startsWith(`/projects/${projectId}/`);
    if (!isOurs || visit >= PAGES_ALIKE || seen.has(address)) continue;
    visits.set(shape, visit + 1);
    seen.add(address);
    const html = await pageOf(address);
    for (const [, href = ""] of html.matchAll(/ href="(\/[^"#]*)/g)) {
      waiting.push(href.replaceAll("&amp;", "&"));
    }
  }
  assert.ok(visits.size > 30);

  async function pageOf(address: string): Promise<string> {
    for (let left = ATTEMPTS;; left--) {
      const began = performance.now();
      const { status, html } = await app.owner.get(address);
      const ms = performance.now() - began;
      if (ms < MAX_PAGE_MS && status < 500) return html;
      assert.ok(status < 500 || status === 503 && left > 1, `${status} ${address}`);
      if (left > 1) continue;
      const most = MAX_PAGE_MS * await slowness();
      assert.ok(ms < most, `${ms} of ${most} ms ${address}`);
      return html;
    }
  }
}
