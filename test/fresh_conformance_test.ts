/**
 * What the app relies on in Fresh 2, through its public API alone: it holds for `lib/fresh` and for
 * upstream (`deno task test:upstream`).
 */

import assert from "node:assert/strict";
import { pathToFileURL } from "node:url";
import {
  App,
  type Context,
  createDefine,
  HttpError,
  type Middleware,
  page,
  staticFiles,
} from "fresh";
import { Builder } from "fresh/dev";
import { asset } from "fresh/runtime";
import { h } from "preact";
import type { State } from "./fixtures/fresh/define.ts";
import { childrenEnded } from "./support/children_ended.ts";

const FIXTURE = new URL("./fixtures/fresh", import.meta.url).href;
const applyBuild = await new Builder<State>({ root: FIXTURE }).build({ snapshot: "memory" });
// Here, since upstream's builder leaves files open, for which a test would be blamed.
const onDisk = await Deno.makeTempDir();
await new Builder({ root: FIXTURE, outDir: onDisk }).build();
await childrenEnded();

type Ask = (path: string, init?: RequestInit) => Promise<Response>;

function ask<State>(app: App<State>): Ask {
  const handle = app.handler();
  return (path, init) => handle(new Request(`http://localhost${path}`, init));
}

/** The fixture app, with middlewares of its own in front. */
function askFixture(...middlewares: Middleware<State>[]): Ask {
  const app = new App<State>().use(staticFiles(), ...middlewares).fsRoutes();
  applyBuild(app);
  return ask(app);
}

async function textOf(response: Response | Promise<Response>): Promise<string> {
  return await (await response).text();
}

/** The names of the `data-part` elements, from the outside in. */
function partsOf(html: string): string[] {
  return Array.from(html.matchAll(/data-part="([^"]+)"/g), ([, name = ""]) => name);
}

Deno.test("a static route answers with and without a trailing slash, and to doubled slashes", async () => {
  const get = askFixture();

  assert.match(await textOf(get("/about")), /About \/about/);
  assert.match(await textOf(get("/about/")), /About \/about\//);
  assert.match(await textOf(get("//about")), /About \/about /);
});

Deno.test("a dynamic route does not answer with a trailing slash", async () => {
  const get = askFixture();

  assert.equal((await get("/api/7/envelope")).status, 200);
  assert.equal((await get("/api/7/envelope/")).status, 404);
});

Deno.test("a routeOverride can allow the trailing slash and is what ctx.route says", async () => {
  const get = askFixture();
  const expected = { params: { project: "7" }, route: "/api/:project/store{/}?" };

  assert.deepEqual(await (await get("/api/7/store", { method: "POST" })).json(), expected);
  assert.deepEqual(await (await get("/api/7/store/", { method: "POST" })).json(), expected);
});

Deno.test("parameters are decoded, but an encoded slash stays encoded", async () => {
  const get = askFixture();
  const projectOf = async (path: string) => (await (await get(path)).json()).params.project;

  assert.equal(await projectOf("/api/7%20x/envelope"), "7 x");
  assert.equal(await projectOf("/api/a%2Fb/envelope"), "a%2Fb");
  assert.equal(await projectOf("/api/%C3%A9/envelope"), "é");
});

Deno.test("a parameter with a malformed percent sequence is for who calls the app to catch, where the route takes the method", async () => {
  const get = ask(new App<State>().get("/shops/:shop", () => new Response("a shop")));

  await assert.rejects(get("/shops/%ED%A0%80"), URIError);
  await assert.rejects(get("/shops/%"), URIError);
  assert.equal((await get("/shops/%", { method: "POST" })).status, 405);
  assert.equal((await get("/nowhere/%")).status, 404);
});

Deno.test("a catch-all also matches nothing, as an empty string", async () => {
  const get = askFixture();

  assert.deepEqual(await (await get("/docs")).json(), { path: "" });
  assert.deepEqual(await (await get("/docs/a/b")).json(), { path: "a/b" });
});

Deno.test("the more specific route wins", async () => {
  const get = askFixture();

  assert.equal(await textOf(get("/match/a/lit/b")), "literal");
  assert.equal(await textOf(get("/match/a/other/b")), "parameter");
  assert.equal(await textOf(get("/match/zz")), "slug");
  assert.equal(await textOf(get("/match/zz/yy")), "rest");
});

Deno.test("a route with an override refuses other methods with 405 and tells OPTIONS its own", async () => {
  const get = askFixture();

  assert.equal((await get("/api/7/store")).status, 405);
  const options = await get("/api/7/store", { method: "OPTIONS" });
  assert.equal(options.status, 204);
  assert.equal(options.headers.get("allow"), "POST");
});

Deno.test("HEAD is answered as GET is, without the body", async () => {
  const head = await askFixture()("/api/7/envelope", { method: "HEAD" });

  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-type"), "application/json");
  assert.equal(await head.text(), "");
});

Deno.test("a method is known in lower case as well", async () => {
  const get = ask(new App().patch("/", (ctx) => ctx.text("patched")));

  assert.equal(await textOf(get("/", { method: "patch" })), "patched");
});

Deno.test("middlewares hear of no parameters where a path does not take the method", async () => {
  const seen: unknown[] = [];
  const app = new App()
    .use((ctx) => {
      seen.push([ctx.route, { ...ctx.params }]);
      return ctx.next();
    })
    .get("/:x", (ctx) => ctx.text("here"));
  const get = ask(app);

  await get("/a");
  assert.equal((await get("/a", { method: "POST" })).status, 405);

  assert.deepEqual(seen, [["/:x", { x: "a" }], ["/:x", {}]]);
});

Deno.test("middlewares run from the root down, app.use() before the files of the same folder", async () => {
  const inFront: Middleware<State> = (ctx) => {
    ctx.state.trail = ["app.use"];
    return ctx.next();
  };
  const get = askFixture(inFront);
  const trailOf = async (path: string) => (await get(path)).headers.get("x-trail");

  assert.equal(await trailOf("/settings"), "app.use, root 1, root 2, group");
  assert.equal(await trailOf("/about"), "app.use, root 1, root 2");
  assert.equal(await trailOf("/api/7/envelope"), "app.use, root 1, root 2, api");
});

Deno.test("all root middlewares run before those of a deeper path, whatever their order", async () => {
  const step = (name: string): Middleware<State> => (ctx) => {
    (ctx.state.trail ??= []).push(name);
    return ctx.next();
  };
  const app = new App<State>()
    .use("/api", step("api"))
    .use(step("root"))
    .get("/api/x", (ctx) => ctx.json(ctx.state.trail));

  assert.deepEqual(await (await ask(app)("/api/x")).json(), ["root", "api"]);
});

Deno.test("a path in app.use() covers itself and everything below, and no longer name", async () => {
  const mark: Middleware<State> = (ctx) => {
    ctx.state.trail = ["marked"];
    return ctx.next();
  };
  const answer = (ctx: Context<State>) => ctx.text(ctx.state.trail?.join() ?? "plain");
  const get = ask(
    new App<State>().use("/api", mark).get("/api", answer).get("/api/x/y", answer)
      .get("/apix", answer),
  );

  assert.equal(await textOf(get("/api")), "marked");
  assert.equal(await textOf(get("/api/x/y")), "marked");
  assert.equal(await textOf(get("/apix")), "plain");
});

Deno.test("a middleware does not apply to routes registered before it", async () => {
  const app = new App().get("/early", (ctx) => ctx.text("early")).use(() => new Response("late"));

  assert.equal(await textOf(ask(app)("/early")), "early");
});

Deno.test("an unknown URL runs the root middlewares once and ends in the root error page", async () => {
  const seen: string[] = [];
  const get = askFixture((ctx) => {
    seen.push(ctx.url.pathname);
    return ctx.next();
  });

  const response = await get("/api/7/nope");

  assert.equal(response.status, 404);
  assert.deepEqual(partsOf(await response.text()), ["app", "root-layout", "root-error"]);
  assert.deepEqual(seen, ["/api/7/nope"]);
});

Deno.test("page() sets data, status and headers of the page", async () => {
  const response = await askFixture()("/created");

  assert.equal(response.status, 201);
  assert.equal(response.headers.get("x-kind"), "created");
  assert.match(response.headers.get("content-type") ?? "", /^text\/html; charset=utf-8$/);
  assert.match(await response.text(), /<p data-part="page">thing<\/p>/);
});

Deno.test("of several headers with one name that page() is given, the last one stays", async () => {
  const cookies: [string, string][] = [["set-cookie", "a=1"], ["set-cookie", "b=2"]];
  const set = async (headers: HeadersInit, path = "/") => {
    const app = new App().route("/", {
      handler: { GET: () => page({}, { headers }) },
      component: () => h("p", null),
    });
    app.get("/rendered", (ctx) => ctx.render(h("p", null), { headers }));
    return (await ask(app)(path)).headers.getSetCookie();
  };

  assert.deepEqual(await set(cookies), ["b=2"]);
  assert.deepEqual(await set(new Headers(cookies)), ["b=2"]);
  assert.deepEqual(await set({ "set-cookie": "c=3" }), ["c=3"]);
  assert.deepEqual(await set(cookies, "/rendered"), ["a=1", "b=2"]);
});

Deno.test("a handler's Response goes out without page, layouts and app", async () => {
  const response = await askFixture()("/created", { method: "PUT" });

  assert.equal(await response.text(), "as it is");
});

Deno.test("a form is rendered again with its problem, or redirects after it was saved", async () => {
  const get = askFixture();
  const post = (name: string) =>
    get("/form", { method: "POST", body: new URLSearchParams({ name }) });

  const refused = await post("");
  assert.equal(refused.status, 422);
  assert.match(await refused.text(), /<output>Name is missing<\/output>/);

  const saved = await post("x");
  assert.equal(saved.status, 303);
  assert.equal(saved.headers.get("location"), "/form?saved=1");
});

Deno.test("ctx.redirect() keeps a path on this host", async () => {
  const get = ask(new App().get("/", (ctx) => ctx.redirect(ctx.url.searchParams.get("to") ?? "")));
  const locationOf = async (to: string) => {
    const response = await get(`/?to=${encodeURIComponent(to)}`);
    assert.equal(response.status, 302);
    return response.headers.get("location");
  };

  assert.equal(await locationOf("//evil.com/"), "/evil.com/");
  assert.equal(await locationOf("/a//b?c=//d"), "/a/b?c=//d");
  assert.equal(await locationOf("https://example.com//x"), "https://example.com//x");
});

Deno.test("ctx.redirect() is a part of its context, and hands on that partials are asked for", async () => {
  const get = ask(
    new App().get("/torn", ({ redirect }) => redirect("/")).get(
      "/",
      (ctx) => ctx.redirect("/a?b#c"),
    ),
  );

  assert.equal((await get("/torn")).status, 500);
  assert.equal((await get("/?fresh-partial")).headers.get("location"), "/a?b&fresh-partial=true#c");
});

Deno.test("a page is wrapped in its layouts, from the inside out, and then in the app", async () => {
  const html = await textOf(askFixture()("/settings"));

  assert.deepEqual(partsOf(html), ["app", "root-layout", "group-layout", "page"]);
  assert.match(html, /^<!DOCTYPE html><html><head>.*<\/head><body>.*<\/body><\/html>$/s);
});

Deno.test("a route can leave out its layouts or the app, for itself alone", async () => {
  const get = askFixture();

  assert.deepEqual(partsOf(await textOf(get("/unframed"))), ["app", "page"]);
  assert.deepEqual(partsOf(await textOf(get("/bare"))), [
    "root-layout",
    "group-layout",
    "page",
  ]);
  assert.deepEqual(partsOf(await textOf(get("/settings"))), [
    "app",
    "root-layout",
    "group-layout",
    "page",
  ]);
});

Deno.test("what is rendered without an app becomes a whole document", async () => {
  const html = await textOf(askFixture()("/bare"));

  assert.match(html, /^<!DOCTYPE html><html><head><meta charset="utf-8"\/><\/head><body><div/);
  assert.match(html, /<\/div><\/body><\/html>$/);
});

Deno.test("ctx.render() renders an element inside the layouts and the app", async () => {
  const app = new App()
    .appWrapper(({ Component }) => h("html", null, h("body", null, h(Component, null))))
    .layout("/", ({ Component }) => h("main", null, h(Component, null)))
    .get("/", (ctx) => ctx.render(h("p", null, "hello"), { status: 203 }));

  const response = await ask(app)("/");

  assert.equal(response.status, 203);
  assert.match(await response.text(), /<body><main><p>hello<\/p><\/main><\/body>/);
});

Deno.test("ctx.render() takes elements and null, and nothing else", async () => {
  const statusOf = async (content: unknown) => {
    const app = new App().get("/", (ctx) => ctx.render(content as null));
    return (await ask(app)("/")).status;
  };

  assert.equal(await statusOf(h("p", null)), 200);
  assert.equal(await statusOf(null), 200);
  assert.equal(await statusOf("a text"), 500);
});

Deno.test("the source of an image on this host is tied to this build, unless it says not to", async () => {
  const render = (props: Record<string, unknown>) =>
    textOf(ask(new App().get("/", (ctx) => ctx.render(h("img", props))))("/"));

  assert.ok((await render({ src: "/a.png" })).includes(`src="${asset("/a.png")}"`));
  assert.match(await render({ src: "https://example.com/a.png" }), /src="https:\S+\/a\.png"/);
  const unlocked = { src: "/a.png", "data-fresh-disable-lock": true };
  assert.match(await render(unlocked), /src="\/a\.png"/);
});

Deno.test("an async page is awaited and may answer with a Response", async () => {
  const get = askFixture();

  assert.deepEqual(partsOf(await textOf(get("/async_page"))), ["app", "root-layout", "page"]);
  const gone = await get("/async_page?gone");
  assert.equal(gone.status, 410);
  assert.equal(await gone.text(), "gone");
});

Deno.test("an async layout is awaited and may answer with a Response", async () => {
  const get = askFixture();

  const parts = partsOf(await textOf(get("/guarded")));
  assert.deepEqual(parts, ["app", "root-layout", "guarded-layout", "page"]);
  const refused = await get("/guarded?anonymous");
  assert.equal(refused.status, 401);
  assert.equal(await refused.text(), "sign in");
});

Deno.test("an async app wrapper is awaited and may answer with a Response", async () => {
  const app = new App()
    .appWrapper(async ({ Component, url }) => {
      await Promise.resolve();
      if (url.pathname === "/closed") return new Response("closed", { status: 503 });
      return h("html", null, h("body", { id: "async" }, h(Component, null)));
    })
    .get("/", (ctx) => ctx.render(h("p", null, "open")))
    .get("/closed", (ctx) => ctx.render(h("p", null, "open")));
  const get = ask(app);

  assert.match(await textOf(get("/")), /<body id="async"><p>open<\/p>/);
  assert.equal((await get("/closed")).status, 503);
});

Deno.test("a thrown HttpError is shown by the error page, with its status", async () => {
  const response = await askFixture()("/failing/forbidden");

  assert.equal(response.status, 403);
  assert.match(await response.text(), /<p data-part="root-error">403<\/p>/);
});

Deno.test("without an error page, an HttpError's message is the body", async () => {
  const app = new App().get("/", () => {
    throw new HttpError(403, "no");
  });

  const response = await ask(app)("/");

  assert.equal(response.status, 403);
  assert.equal(await response.text(), "no");
});

Deno.test("an unexpected error is a 500 that tells nothing", async () => {
  const app = new App().get("/", () => {
    throw new Error("the secret");
  });
  const plain = await ask(app)("/");
  assert.equal(plain.status, 500);
  assert.equal(await plain.text(), "Internal server error");

  const shown = await askFixture()("/failing/bug");
  assert.equal(shown.status, 500);
  assert.doesNotMatch(await shown.text(), /secret/);
});

Deno.test("the nearest error handler answers, and ctx.error is what was thrown", async () => {
  const thrown = new HttpError(409, "twice");
  const seen: unknown[] = [];
  const app = new App()
    .onError("/", () => new Response("root"))
    .onError("/api", (ctx) => {
      seen.push(ctx.error);
      return new Response("api", { status: 409 });
    })
    .get("/api/x", () => {
      throw thrown;
    })
    .get("/x", () => {
      throw thrown;
    });
  const get = ask(app);

  assert.equal(await textOf(get("/api/x")), "api");
  assert.equal(await textOf(get("/x")), "root");
  assert.deepEqual(seen, [thrown]);
});

Deno.test("a folder's error handler answers behind the middlewares of its parents only", async () => {
  const response = await askFixture()("/api/failing");

  assert.equal(response.status, 418);
  assert.deepEqual(await response.json(), { error: 418 });
  assert.equal(response.headers.get("x-root"), "seen");
  assert.equal(response.headers.get("x-api"), null);
});

Deno.test("a page without islands loads no script", async () => {
  const response = await askFixture()("/about");

  assert.equal(response.headers.get("link"), null);
  assert.doesNotMatch(await response.text(), /<script/);
});

Deno.test("a page with islands ends in one module script, whose modules are preloaded", async () => {
  const get = askFixture();

  const response = await get("/panels");
  const html = await response.text();
  const scripts = [...html.matchAll(/<script[^>]*>/g)].map(([tag]) => tag);
  const preloads = Array.from(
    (response.headers.get("link") ?? "").matchAll(/<([^>]+)>; rel="modulepreload"/g),
    ([, url = ""]) => url,
  );

  assert.equal(scripts.length, 1);
  assert.match(scripts[0] ?? "", /type="module"/);
  assert.match(html, /<\/script><\/body><\/html>$/);
  assert.equal(preloads.length, 3, "the runtime, Counter and Panel");
  for (const url of preloads) {
    const module = await get(url);
    assert.equal(module.status, 200);
    assert.match(module.headers.get("content-type") ?? "", /^text\/javascript/);
    assert.match(module.headers.get("cache-control") ?? "", /immutable/);
    await module.body?.cancel();
  }
});

Deno.test("inline scripts carry a nonce of their own document, which the response knows", async () => {
  const get = askFixture();
  const nonces = await Promise.all([get("/counters"), get("/counters")].map(async (pending) => {
    const response = await pending;
    const known = Reflect.get(response, Symbol.for("__freshNonce"));
    assert.match(await response.text(), new RegExp(`<script[^>]* nonce="${known}"`));
    return known;
  }));

  assert.notEqual(nonces[0], nonces[1]);
});

Deno.test("dates, maps, signals and the like may be props of an island; a function is a 500", async () => {
  const get = askFixture();

  assert.equal((await get("/props")).status, 200);
  assert.equal((await get("/counters")).status, 200);
  assert.equal((await get("/function_prop")).status, 500);
});

Deno.test("no prop ends the script element or opens a comment in it", async () => {
  const html = await textOf(askFixture()("/props"));
  const script = html.slice(html.indexOf("<script"));

  assert.equal(script.match(/<\/script/gi)?.length, 1);
  assert.doesNotMatch(script, /<!--/);
});

Deno.test("<Head> in a page replaces the app's title and description, and adds what is new", async () => {
  const html = await textOf(askFixture()("/titled"));
  const head = html.slice(0, html.indexOf("</head>"));

  assert.equal(html.match(/<title/g)?.length, 1);
  assert.match(head, /<title>Title of the page<\/title>/);
  assert.equal(html.match(/name="description"/g)?.length, 1);
  assert.match(head, /content="of the page"/);
  assert.match(head, /content="noindex"/);
  assert.match(await textOf(askFixture()("/about")), /<title>Default title<\/title>/);
});

Deno.test("staticFiles() answers a known ETag with 304", async () => {
  const get = askFixture();
  const [, script = ""] = /<([^>]+)>/.exec((await get("/counters")).headers.get("link") ?? "") ??
    [];

  const first = await get(script);
  await first.body?.cancel();
  const etag = first.headers.get("etag");
  assert.match(etag ?? "", /^W\/"/);

  const again = await get(script, { headers: { "If-None-Match": etag ?? "" } });
  assert.equal(again.status, 304);
  assert.equal(again.headers.get("cache-control"), null);
  assert.equal(await again.text(), "");
});

Deno.test("staticFiles() lets browsers keep what is asked for with this build's id", async () => {
  const get = askFixture();
  const cachingOf = async (path: string) => {
    const response = await get(path);
    assert.equal(await response.text(), "body { color: black }\n");
    assert.match(response.headers.get("content-type") ?? "", /^text\/css/);
    return response.headers.get("cache-control") ?? "";
  };

  assert.match(await cachingOf(asset("/style.css")), /max-age=31536000, immutable/);
  assert.match(await cachingOf("/style.css"), /no-cache/);

  const stale = await get("/style.css?x=1&__frsh_c=older");
  assert.equal(stale.status, 307);
  assert.equal(stale.headers.get("location"), "/style.css?x=1");
});

Deno.test("staticFiles() answers GET and HEAD only", async () => {
  const get = askFixture();

  assert.equal((await get("/style.css", { method: "POST" })).status, 405);
  const head = await get("/style.css", { method: "HEAD" });
  assert.equal(head.status, 200);
  assert.equal(head.headers.get("content-length"), "22");
  assert.equal(await head.text(), "");
});

Deno.test("staticFiles() takes a slash at the end of a file's path for nothing, and an unknown type for text", async () => {
  const get = askFixture();

  assert.equal(await textOf(get("/style.css/")), "body { color: black }\n");
  const plain = await get("/nested/plain");
  assert.match(plain.headers.get("content-type") ?? "", /^text\/plain/);
  assert.equal(await plain.text(), "no type\n");
});

Deno.test("staticFiles() passes on what it does not know", async () => {
  const get = askFixture();

  assert.equal((await get("/nested/missing.txt")).status, 404);
  assert.match(await textOf(get("/")), /Home/);
});

Deno.test("staticFiles() never leaves its folder", async () => {
  const get = askFixture();

  for (const dots of ["..", "%2e%2e", "..%2f..", "nested/..%2f..", "nested%2f..%2f..", "..%5c"]) {
    const response = await get(`/${dots}/outside.txt`);
    assert.notEqual(response.status, 200, dots);
    assert.doesNotMatch(await response.text(), /not to be served/);
  }
});

Deno.test("a build on disk serves the same app from _fresh/server.js", async () => {
  try {
    const { default: server } = await import(pathToFileURL(`${onDisk}/server.js`).href);
    const get: Ask = (path, init) => server.fetch(new Request(`http://localhost${path}`, init));

    assert.match(await textOf(get("/settings")), /Hello <?.*you/);
    const style = await get("/style.css");
    assert.equal(await style.text(), "body { color: black }\n");
    assert.match(style.headers.get("etag") ?? "", /^W\/"/);
    assert.equal(await textOf(get("/nested/a%20b.txt")), "spaces\n");
    const [, script = ""] = /<([^>]+)>/.exec((await get("/counters")).headers.get("link") ?? "") ??
      [];
    assert.match(await textOf(get(script)), /boot/);
  } finally {
    await Deno.remove(onDisk, { recursive: true });
  }
});

Deno.test("app.route() answers as a route file would, at its override", async () => {
  const get = ask(
    new App().route("/named", {
      config: { routeOverride: "/other{/}?" },
      handler: { GET: () => page({}), POST: (ctx) => ctx.text("posted") },
      component: ({ route }) => h("p", null, route),
    }),
  );

  assert.match(await textOf(get("/other/")), /<p>\/other\{\/\}\?<\/p>/);
  assert.equal(await textOf(get("/other", { method: "POST" })), "posted");
  assert.equal((await get("/other", { method: "DELETE" })).status, 405);
  assert.equal((await get("/named")).status, 404);
});

Deno.test("a trusted proxy decides the protocol and host of ctx.url, an untrusted one does not", async () => {
  const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "app.example" };
  const originSeen = (app: App<unknown>) =>
    textOf(ask(app.get("/", (ctx) => ctx.text(ctx.url.origin)))("/", { headers }));

  assert.equal(await originSeen(new App({ trustProxy: true })), "https://app.example");
  assert.equal(await originSeen(new App()), "http://localhost");
});

Deno.test("define's helpers return what they are given; page() without data has none", () => {
  const define = createDefine<State>();
  const handler = define.handlers({ GET: () => page({ a: 1 }) });
  const component = define.page<typeof handler>(({ data }) => h("p", null, data.a));

  assert.equal(handler.GET().data.a, 1);
  assert.equal(typeof component, "function");
  assert.equal(page().data, undefined);
});
