/** Programs that send what no program should, to the whole app: nothing of it may end in an error of ours. */
import assert from "node:assert/strict";
import { listKeys } from "@/lib/accounts/keys.ts";
import { createProject } from "@/lib/accounts/projects.ts";
import type { Logger } from "@/lib/core/log.ts";
import { authHeader } from "./test_intake.ts";
import { timeBudget } from "./time_budget.ts";
import { type Acme, acme } from "./ui_app.ts";

/** In which a request must be answered: most take some milliseconds. */
const MAX_MS = 2_000;
/** Above it a request is sent again: other work on the machine is not its fault. */
const ATTEMPTS = 3;
const MAX_PAGE_MS = 5_000;
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
}

/** A project of an app of its own, and who sends to it. */
export async function senders(): Promise<Sent & AsyncDisposable> {
  /** What an operator would be told. */
  const told: unknown[] = [];
  const log: Logger = {
    info() {},
    warn: (...line) => void told.push(line),
    error: (...line) => void told.push(line),
  };
  const app = await acme({ ingestRatePerSec: 1_000_000 }, log);
  const { kv, spool } = app.services;
  const organizationId = app.organization.id;
  const { id } = await createProject(kv, { organizationId, name: "Shop", platform: "node" });
  const key = (await listKeys(kv, id)).find(({ type }) => type === "server")?.publicKey ?? "";
  async function send(path: string, init: RequestInit): Promise<number> {
    for (let left = ATTEMPTS;; left--) {
      const { status, ms } = await sendOnce(path, init);
      if (ms < MAX_MS) return status;
      if (left > 1) continue;
      assert.ok(ms < timeBudget(MAX_MS), `${ms} ms ${path} ${shown(init)}`);
      return status;
    }
  }
  async function sendOnce(path: string, init: RequestInit) {
    const began = performance.now();
    const answer = await app.handle(new Request(new URL(path, "http://localhost:8000"), init));
    const text = await answer.text();
    const ms = performance.now() - began;
    const { status } = answer;
    const what = () => `${path.slice(0, 1_000)} ${status} ${text.slice(0, 300)} ${shown(init)}`;
    assert.ok(status < 500, status < 500 ? "" : `${what()} ${Deno.inspect(told)}`);
    // It is said in each OTLP answer's own encoding, and nowhere in the answer to what reads none.
    const isSaid = status < 400 || text.length >= SENTENCE || init.method === "HEAD";
    assert.ok(isSaid, isSaid ? "" : what());
    if (status < 300) {
      const { groups } = await spool.aside.state();
      assert.deepEqual(groups, [], groups.length === 0 ? "" : what());
    }
    return { status, ms };
  }
  const post: Sent["post"] = (path, body, type = "application/json", headers = {}) =>
    send(path, { method: "POST", headers: { ...auth, "content-type": type, ...headers }, body });
  const auth = { ...authHeader(key), authorization: `Bearer ${key}` };
  return {
    app,
    projectId: id,
    key,
    good: [],
    send,
    post,
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
      assert.deepEqual(told, []);
    },
  };
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
export async function pagesAnswer({ app, projectId }: Sent): Promise<void> {
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
    const began = performance.now();
    const { status, html } = await app.owner.get(address);
    const ms = performance.now() - began;
    assert.ok(ms < MAX_PAGE_MS || ms < timeBudget(MAX_PAGE_MS), `${ms} ms ${address}`);
    assert.ok(status < 500, `${status} ${address}`);
    for (const [, href = ""] of html.matchAll(/ href="(\/[^"#]*)/g)) {
      waiting.push(href.replaceAll("&amp;", "&"));
    }
  }
  assert.ok(visits.size > 30);
}
