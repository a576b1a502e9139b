import assert from "node:assert/strict";
import type { Config } from "../../lib/core/config.ts";
import type { Logger } from "../../lib/core/log.ts";
import { UNREADABLE } from "../../lib/ingest/set_aside.ts";
import type { Services } from "../../lib/server/services.ts";
import { apiApp, type Send } from "./api_app.ts";
import { makeWorld, type World } from "./ingest_world.ts";
import { testServices } from "./services.ts";
import { waitFor } from "./wait_for.ts";

export interface TestIntake extends World, AsyncDisposable {
  readonly services: Services;
  readonly send: Send;
  /** Where the project's envelopes go. */
  readonly path: string;
  /** The headers that let a request in with the server key. */
  readonly auth: Record<string, string>;
  /** Posts to `path` with `auth` and these headers. */
  post(body: string | Uint8Array, headers?: Record<string, string>): Promise<Response>;
  /** Ids of the project's stored events, as sent. */
  storedIds(): Promise<string[]>;
  /** Resolves when as many outcomes as `expected` says are counted, by `kind/reason`. */
  outcomes(expected: Record<string, number>, projectId?: string): Promise<void>;
}

/** The whole intake on fresh stores, with a project to send to. */
export async function testIntake(
  overrides: Partial<Config> = {},
  log?: Logger,
): Promise<TestIntake> {
  await using opened = new AsyncDisposableStack();
  const { services } = opened.use(await testServices(overrides, log));
  opened.defer(() => noneUnread(services));
  const world = await makeWorld(services.kv);
  const send = apiApp(services);
  const path = `/api/${world.project.id}/envelope/`;
  const auth = authHeader(world.serverKey);
  const stores = opened.move();
  return {
    ...world,
    services,
    send,
    path,
    auth,
    post: (body, headers) =>
      send(path, {
        method: "POST",
        body: typeof body === "string" ? body : new Uint8Array(body),
        headers: { ...auth, ...headers },
      }),
    storedIds: () => storedIds(services, world.project.id),
    async outcomes(expected, projectId = world.project.id) {
      await waitFor(`outcomes ${JSON.stringify(expected)}`, async () => {
        const counted = await countedOutcomes(services, projectId);
        return isSame(counted, expected) || undefined;
      });
    },
    [Symbol.asyncDispose]: () => stores.disposeAsync(),
  };
}

/** A request that a decoder fails on is answered like a good one. @throws {AssertionError} when one is left */
async function noneUnread({ spool }: Services): Promise<void> {
  assert.deepEqual(await spool.aside.find({ code: UNREADABLE }), []);
}

/** `X-Sentry-Auth` as most SDKs send it. */
export function authHeader(publicKey: string): Record<string, string> {
  return { "x-sentry-auth": `Sentry sentry_key=${publicKey}, sentry_version=7` };
}

async function storedIds({ sql }: Services, projectId: string): Promise<string[]> {
  const rows = await sql<{ id: string }[]>`
    select replace(event_id::text, '-', '') as id from events
    where project_id = ${projectId} order by received_at, event_id
  `;
  return rows.map(({ id }) => id);
}

async function countedOutcomes({ sql }: Services, projectId: string) {
  const rows = await sql<{ name: string; quantity: number }[]>`
    select concat_ws('/', kind, nullif(reason, '')) as name, sum(quantity)::int as quantity
    from outcomes where project_id = ${projectId} group by 1
  `;
  return Object.fromEntries(rows.map(({ name, quantity }) => [name, quantity]));
}

function isSame(a: Record<string, number>, b: Record<string, number>): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].every((name) => a[name] === b[name]);
}
