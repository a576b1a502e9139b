import type { Config } from "../../lib/core/config.ts";
import { createApiToken } from "../../lib/accounts/api_tokens.ts";
import { addMember, type Role, roleAllows, ROLES, SCOPES } from "../../lib/accounts/members.ts";
import type { Services } from "../../lib/server/services.ts";
import { checkAnswer } from "./api_answers.ts";
import { apiApp } from "./api_app.ts";
import { makeWorld, type World } from "./ingest_world.ts";
import { person } from "./people.ts";
import { testServices } from "./services.ts";

export const ADMIN_TOKEN = "bootstrap-token-0123456789";

export const ACTORS = ["nobody", "stranger", ...ROLES, "bootstrap"] as const;
export type ActorName = (typeof ACTORS)[number];

export interface ApiAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: T;
}

export interface TestApi extends World, AsyncDisposable {
  readonly services: Services;
  /** The organization that the stranger owns. */
  readonly otherWorld: World;
  /** Calls `/api/0` + `path` as one of the people and decodes the answer. */
  call<T>(
    actor: ActorName,
    path: string,
    init?: { method?: string; body?: unknown },
  ): Promise<ApiAnswer<T>>;
}

/** The management API on fresh stores, with one member of each role and a stranger. */
export async function testApi(overrides: Partial<Config> = {}): Promise<TestApi> {
  const opened = await testServices({ adminToken: ADMIN_TOKEN, ...overrides });
  const { services } = opened;
  const world = await makeWorld(services.kv, "acme");
  const otherWorld = await makeWorld(services.kv, "other");
  const send = apiApp(services);
  const tokens = new Map<ActorName, string>([["bootstrap", ADMIN_TOKEN]]);
  tokens.set("stranger", await tokenOf(services.kv, otherWorld, otherWorld.owner.id, "owner"));
  for (const role of ROLES) {
    tokens.set(
      role,
      await tokenOf(services.kv, world, await memberId(services.kv, world, role), role),
    );
  }
  return {
    ...world,
    services,
    otherWorld,
    async call<T>(actor: ActorName, path: string, { method = "GET", body }: {
      method?: string;
      body?: unknown;
    } = {}) {
      const token = tokens.get(actor);
      const response = await send(`/api/0${path}`, {
        method,
        ...token === undefined ? {} : { headers: { authorization: `Bearer ${token}` } },
        ...body === undefined
          ? {}
          : { body: typeof body === "string" ? body : JSON.stringify(body) },
      });
      const text = await response.text();
      const type = response.headers.get("content-type") ?? "";
      // Files are no answers in JSON, nor is that of the net around the app.
      const isNet = type.startsWith("text/plain");
      const decoded: T = text === "" || isNet || /ndjson|zip/.test(type) ? null : JSON.parse(text);
      if (!isNet) checkAnswer(method, `/api/0${path}`, response.status, decoded);
      return { status: response.status, headers: response.headers, body: decoded };
    },
    [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose](),
  };
}

async function memberId(kv: Deno.Kv, world: World, role: Role): Promise<string> {
  if (role === "owner") return world.owner.id;
  const { id } = await person(kv, role);
  const by = { role: "owner", userId: world.owner.id } as const;
  await addMember(kv, by, world.organization.id, id, role);
  return id;
}

/** A token with every scope that the role allows. */
async function tokenOf(kv: Deno.Kv, world: World, userId: string, role: Role): Promise<string> {
  const { token } = await createApiToken(kv, {
    name: role,
    organizationId: world.organization.id,
    userId,
    scopes: SCOPES.filter((scope) => roleAllows(role, scope)),
  });
  return token;
}
