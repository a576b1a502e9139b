import { ProdBuildCache, setBuildCache } from "fresh/internal";
import { fileURLToPath } from "node:url";
import { isStale } from "../../build.ts";
import { claimInstance, setupCode } from "../../lib/accounts/setup.ts";
import type { Organization } from "../../lib/accounts/organizations.ts";
import { addMember, type Role } from "../../lib/accounts/members.ts";
import type { User } from "../../lib/accounts/users.ts";
import type { Config } from "../../lib/core/config.ts";
import type { Services } from "../../lib/server/services.ts";
import type { State } from "../../lib/server/define.ts";
import { createApp } from "../../lib/server/app.tsx";
import { PASSWORD, person } from "./people.ts";
import { testServices } from "./services.ts";

const ROOT = new URL("../../", import.meta.url);
/** Files that are locked while one of them builds; released by the system when a process ends. */
const LOCK = new URL(".cache/test_build.lock", ROOT);

/** What `deno task build` makes: once for all test files, by the first that finds it missing or stale. */
const snapshot = await builtSnapshot();

async function builtSnapshot(): Promise<ConstructorParameters<typeof ProdBuildCache<State>>[1]> {
  await Deno.mkdir(new URL("./", LOCK), { recursive: true });
  using lock = await Deno.open(LOCK, { create: true, write: true });
  await lock.lock(true);
  if (isStale(ROOT)) {
    const { success, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "-A", "build.ts"],
      cwd: ROOT,
      stdout: "null",
    }).output();
    if (!success) throw new Error(`Cannot build: ${new TextDecoder().decode(stderr)}`);
  }
  return await import(new URL("_fresh/snapshot.js", ROOT).href);
}

export interface UiApp extends AsyncDisposable {
  readonly services: Services;
  /** @param info of the connection; absent: one of this machine */
  readonly handle: (request: Request, info?: Deno.ServeHandlerInfo) => Promise<Response>;
  /** Somebody with a browser of their own, not signed in. */
  visitor(): Visitor;
}

/** A browser without script: keeps cookies, sends forms, does not follow redirects. */
export interface Visitor {
  get(path: string): Promise<Answer>;
  post(path: string, fields?: Record<string, string> | [string, string][]): Promise<Answer>;
  signIn(email: string, password?: string): Promise<Answer>;
  readonly cookies: Map<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Where a redirect leads, or null. */
  readonly location: string | null;
  readonly html: string;
}

/** The whole app with all its pages on fresh stores, without a port. */
export async function uiApp(overrides: Partial<Config> = {}): Promise<UiApp> {
  const { services, [Symbol.asyncDispose]: dispose } = await testServices(overrides);
  const app = createApp(services);
  setBuildCache(app, new ProdBuildCache<State>(fileURLToPath(ROOT), snapshot), "production");
  const handler = app.handler();
  const handle: UiApp["handle"] = (request, info) => Promise.resolve(handler(request, info));
  return { services, handle, visitor: () => newVisitor(handle), [Symbol.asyncDispose]: dispose };
}

export interface Acme extends UiApp {
  readonly organization: Organization;
  /** Signed in as the owner, who runs the instance. */
  readonly owner: Visitor;
  /** A new member `<role>@example.com` with the mail's name, signed in. */
  member(role: Role): Promise<{ user: User; visitor: Visitor }>;
}

/** The app with an organization named Acme and its owner. */
export async function acme(overrides: Partial<Config> = {}): Promise<Acme> {
  const app = await uiApp(overrides);
  const { kv } = app.services;
  const claimed = await claimInstance(kv, {
    code: await setupCode(kv),
    organizationName: "Acme",
    name: "Olga Owner",
    email: "olga@example.com",
    password: PASSWORD,
    address: "127.0.0.1",
  });
  if (!claimed.ok) throw new Error(`Cannot claim the test instance: ${claimed.reason}`);
  const { organization, user } = claimed;
  const owner = app.visitor();
  await owner.signIn("olga@example.com");
  return {
    ...app,
    organization,
    owner,
    async member(role) {
      const added = await person(kv, role);
      await addMember(kv, { role: "owner", userId: user.id }, organization.id, added.id, role);
      const visitor = app.visitor();
      await visitor.signIn(added.email);
      return { user: added, visitor };
    },
  };
}

/** The text that a reader sees: HTML without tags, blanks collapsed. */
export function textOf(html: string): string {
  return html.replace(/<(script|svg)\b.*?<\/\1>/gs, " ")
    .replace(/<\/?(?:a|code|span|strong|time)\b[^>]*>/g, "").replace(/<[^>]*>/g, " ")
    .replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&").replace(/\s+/g, " ").trim();
}

function newVisitor(handle: UiApp["handle"]): Visitor {
  const cookies = new Map<string, string>();
  const send = async (path: string, init: RequestInit = {}): Promise<Answer> => {
    const headers = new Headers(init.headers);
    headers.set("sec-fetch-site", "same-origin");
    headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    const url = new URL(path, "http://localhost:8000");
    const response = await handle(new Request(url, { ...init, headers }));
    for (const cookie of response.headers.getSetCookie()) keep(cookies, cookie);
    const location = response.headers.get("location");
    return {
      status: response.status,
      headers: response.headers,
      location,
      html: await response.text(),
    };
  };
  const post: Visitor["post"] = (path, fields = {}) =>
    send(path, { method: "POST", body: new URLSearchParams(fields) });
  return {
    cookies,
    get: (path) => send(path),
    post,
    signIn: (email, password = PASSWORD) => post("/sign-in", { email, password }),
  };
}

/** Paths are not looked at: the tests read every page right after the redirect to it. */
function keep(cookies: Map<string, string>, cookie: string): void {
  const [pair = "", ...attributes] = cookie.split("; ");
  const [name = "", value = ""] = pair.split("=", 2);
  if (attributes.includes("Max-Age=0")) cookies.delete(name);
  else cookies.set(name, value);
}
