import assert from "node:assert/strict";
import {
  type Frame,
  framesOf,
  groupFrames,
  oldestFirst,
  originOf,
} from "@/lib/errors/event/stack.ts";

const frames = (list: unknown[], platform = "node") => framesOf({ frames: list }, platform);
const app = (name: string) => ({ function: name, filename: `${name}.js`, lineno: 1, in_app: true });
const lib = (name: string) => ({ ...app(name), in_app: false });

/** `a*` an open frame, `a` a closed one, `(a b)` a folded run, `…7` a gap. */
function sketch(groups: ReturnType<typeof groupFrames>): string {
  return groups.map((group) => {
    if (group.kind === "gap") return `…${group.count}`;
    if (group.kind === "frame") return group.frame.name + (group.isOpen ? "*" : "");
    return `(${group.frames.map(({ name }) => name).join(" ")})`;
  }).join(" ");
}

Deno.test("framesOf() gives the newest call first", () => {
  assert.deepEqual(frames([app("main"), app("crash")]).map(({ name }) => name), ["crash", "main"]);
});

Deno.test("framesOf() numbers the source lines around the current one", () => {
  const [frame] = frames([{
    lineno: 3,
    pre_context: ["one", null],
    context_line: "three",
    post_context: ["four"],
  }]);
  assert.deepEqual(frame?.source, [
    { number: 1, text: "one", isCurrent: false },
    { number: 2, text: "", isCurrent: false },
    { number: 3, text: "three", isCurrent: true },
    { number: 4, text: "four", isCurrent: false },
  ]);
});

Deno.test("framesOf() shows source without numbers when the frame has no line", () => {
  const [frame] = frames([{ context_line: "x" }]);
  assert.deepEqual(frame?.source, [{ number: null, text: "x", isCurrent: true }]);
});

Deno.test("framesOf() names a call as the people of the platform do", () => {
  const name = (raw: Record<string, unknown>, platform: string) => frames([raw], platform)[0]?.name;
  assert.equal(name({ function: "total", module: "com.acme.Cart" }, "java"), "com.acme.Cart.total");
  assert.equal(name({ function: "handler", module: "main" }, "go"), "main.handler");
  assert.equal(name({ function: "index", module: "app.views" }, "python"), "index");
  assert.equal(name({ function: "?" }, "javascript"), "");
  assert.equal(name({ function: "a", module: "m", platform: "java" }, "javascript"), "m.a");
});

Deno.test("framesOf() knows the language from the file, else from the platform", () => {
  const language = (filename: string, platform: string) =>
    frames([{ filename }], platform)[0]?.language;
  assert.equal(language("src/cart.tsx", "javascript"), "typescript");
  assert.equal(language("/app/app.js?v=3", "javascript"), "javascript");
  assert.equal(language("handler", "php"), "php");
  assert.equal(language("handler", "cobol"), "text");
  assert.equal(language("a.constructor", "constructor"), "text");
});

Deno.test("framesOf() folds a call that repeats itself, and keeps equal calls with others between", () => {
  const found = frames([
    app("main"),
    app("walk"),
    app("walk"),
    app("walk"),
    app("leaf"),
    app("walk"),
  ]);
  assert.deepEqual(found.map(({ name, repeats }) => [name, repeats]), [
    ["walk", 1],
    ["leaf", 1],
    ["walk", 3],
    ["main", 1],
  ]);
});

Deno.test("framesOf() survives anything in the place of a stack", () => {
  for (const odd of [null, 7, "x", [], {}, { frames: null }, { frames: [null, 7, [], "x"] }]) {
    assert.deepEqual(framesOf(odd, "node"), []);
  }
  const [frame] = frames([{ lineno: "12", colno: -1, vars: "x", pre_context: 7, data: [] }]);
  assert.equal(frame?.line, 12);
  assert.equal(frame?.column, null);
});

Deno.test("groupFrames() opens the newest frame of the app and folds runs of library frames", () => {
  const stack = frames([lib("e"), lib("d"), app("c"), lib("b2"), lib("b1"), app("a")]);
  assert.equal(sketch(groupFrames(stack, "app")), "a* (b1 b2) c (d e)");
  assert.equal(sketch(groupFrames(stack, "all")), "a* b1 b2 c d e");
});

Deno.test("groupFrames() never folds the frame where it broke, nor a single library frame", () => {
  const stack = frames([lib("z"), app("b"), lib("y"), app("a"), lib("x2"), lib("x1"), lib("top")]);
  assert.equal(sketch(groupFrames(stack, "app")), "top (x1 x2) a* y b z");
});

Deno.test("groupFrames() shows a stack without app frames whole, the newest open", () => {
  assert.equal(sketch(groupFrames(frames([lib("c"), lib("b"), lib("a")]), "app")), "a* b c");
  assert.deepEqual(groupFrames([], "app"), []);
});

Deno.test("groupFrames() tells where frames were left out in the middle", () => {
  // Kept: the two oldest and the two newest of ten.
  const stack = framesOf({
    frames: [lib("old1"), lib("old2"), app("b"), app("a")],
    frames_omitted: [2, 8],
  }, "node");
  assert.equal(sketch(groupFrames(stack, "app")), "a* b …6 (old2 old1)");
});

Deno.test("oldestFirst() turns the stack round, runs included", () => {
  const stack = frames([lib("c"), lib("b"), app("a")]);
  assert.equal(sketch(oldestFirst(groupFrames(stack, "app"))), "(c b) a*");
});

Deno.test("a folded run names the packages it passes through, most frames first", () => {
  const inside = (path: string): Frame[] => [...frames([{ abs_path: path, filename: path }])];
  const run = [
    ...inside("/app/main.js"),
    ...inside("/app/node_modules/pg/lib/client.js"),
    ...inside("/app/node_modules/express/lib/router.js"),
    ...inside("/app/node_modules/.pnpm/express@4/node_modules/express/index.js"),
  ].map((frame, index) => ({ ...frame, isInApp: index === 0, name: `f${index}` }));
  const [, group] = groupFrames(run, "app");
  assert.deepEqual(group?.kind === "run" && group.origins, ["express", "pg"]);
});

Deno.test("originOf() knows the package folders of the common ecosystems", () => {
  const f = (path: string, expected: string) =>
    assert.equal(originOf({ name: "", file: "", path }), expected);
  f("/app/node_modules/@nestjs/core/router.js", "@nestjs/core");
  f("/usr/lib/python3.12/site-packages/django/core/handlers/base.py", "django");
  f("/var/www/vendor/symfony/http-kernel/Kernel.php", "symfony/http-kernel");
  f("/home/ann/go/pkg/mod/github.com/gin-gonic/gin@v1.10.0/context.go", "github.com/gin-gonic/gin");
  f("/usr/lib/ruby/gems/3.3.0/gems/rack-3.0.8/lib/rack.rb", "rack");
  f("/usr/lib/python3.12/asyncio/tasks.py", "asyncio");
  f("/srv/app/main.py", "");
  const named = (name: string, file: string) => originOf({ name, file, path: "" });
  assert.equal(named("run", "node:internal/process/task_queues"), "node:internal");
  assert.equal(named("org.hibernate.engine.Batch.run", "Batch.java"), "org.hibernate");
  assert.equal(named("this.app.router.run", "app.js"), "");
});
