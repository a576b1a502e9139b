import assert from "node:assert/strict";
import { groupEvent } from "@/lib/formats/sentry/grouping.ts";
import { normalized } from "./decode.ts";

type Sent = Record<string, unknown>;

function hash(sent: Sent): string {
  return groupEvent(normalized(sent)).hashes[0];
}

function assertSame(...events: Sent[]): void {
  assert.equal(new Set(events.map(hash)).size, 1, JSON.stringify(events.map(hash)));
}

function assertDistinct(...events: Sent[]): void {
  assert.equal(new Set(events.map(hash)).size, events.length, JSON.stringify(events.map(hash)));
}

/** An error with these frames, each `module:function` or an object. */
function error(frames: (string | Sent)[], more: Sent = {}): Sent {
  const inApp = frames.map((frame) => {
    if (typeof frame !== "string") return frame;
    const [module, name] = frame.split(":");
    return { module, function: name, in_app: true };
  });
  return {
    platform: "python",
    exception: { type: "KeyError", value: "x", stacktrace: { frames: inApp } },
    ...more,
  };
}

Deno.test("groupEvent() makes 32 hex digits and tells its version", () => {
  const grouping = groupEvent(normalized({ message: "x" }));
  assert.match(grouping.hashes[0], /^[0-9a-f]{32}$/);
  assert.equal(grouping.version, 3);
});

Deno.test("groupEvent() gives the hashes it always gave", () => {
  // Change these only together with GROUPING_VERSION: they decide which issues go on after an upgrade.
  assert.deepEqual(groupEvent(normalized(error(["shop:pay", "shop:price"]))).hashes, [
    "da67aee319e6e6074c76fd0ebedd118e",
    "40ba0932006165bd0038a20e36f5d7ab",
  ]);
  assert.equal(hash({ message: "user 7 not found" }), "7cab56df1f41fa54fd7bc151314506d5");
  assert.equal(
    hash({ message: "x", fingerprint: ["a", "{{ default }}"] }),
    "e18882b787568f5a12348deca8b655ea",
  );
  assert.equal(hash({}), "935b2de0c4ae4378b647e8e87f9b754c");
});

Deno.test("groupEvent() leaves unnamed functions of a browser's scripts out beside named ones, and finds old groups", () => {
  const at = (name: string) => ({
    function: name,
    filename: "https://shop.test/app.js",
    abs_path: "https://shop.test/app.js",
    in_app: true,
  });
  const inBrowser = (...frames: Sent[]) => ({ ...error(frames), platform: "javascript" });
  const direct = groupEvent(normalized(inBrowser(at("?"), at("main"), at("?"), at("pay"))));
  const later = groupEvent(normalized(inBrowser(at("main"), at("pay"))));
  assert.equal(direct.hashes[0], later.hashes[0]);
  assert.deepEqual([direct.hashes.length, later.hashes.length], [3, 2]);
  assert.equal(direct.hashes[1], later.hashes[1]);
  assertDistinct(inBrowser(at("?"), at("?")), inBrowser(at("main"), at("pay")), inBrowser());
});

Deno.test("groupEvent() ignores line numbers, variables, values, paths and ids", () => {
  const frame = { module: "shop", function: "pay", in_app: true };
  assertSame(
    error([{ ...frame, lineno: 1, vars: { a: 1 }, abs_path: "/one/shop.py", context_line: "a()" }]),
    error(
      [{ ...frame, lineno: 2, vars: { a: 2 }, abs_path: "/two/shop.py", context_line: " a()" }],
      {
        event_id: "f".repeat(32),
        release: "2",
        user: { id: 8 },
      },
    ),
  );
});

Deno.test("groupEvent() tells functions, modules, types and order of frames apart", () => {
  const other = error(["shop:pay"]);
  assertDistinct(
    error(["shop:pay"]),
    error(["shop:refund"]),
    error(["cart:pay"]),
    error(["shop:pay", "shop:price"]),
    error(["shop:price", "shop:pay"]),
    { ...other, exception: { ...(other.exception as Sent), type: "ValueError" } },
  );
});

Deno.test("groupEvent() counts only the application's frames, or all where none is known to be its", () => {
  const lib = (name: string, in_app: unknown = false) => ({
    module: "lib",
    function: name,
    in_app,
  });
  assertSame(error([lib("a"), "shop:pay", lib("b")]), error(["shop:pay", lib("c")]));
  assertDistinct(error([lib("a")]), error([lib("b")]));
  assertDistinct(error([lib("a", null)]), error([lib("b", null)]));
});

Deno.test("groupEvent() tells lines of one function apart, on platforms that send their source", () => {
  const at = (line: string, platform: string) => ({
    ...error([{ module: "shop", function: "pay", in_app: true, context_line: line }]),
    platform,
  });
  const lines = ['raise ValueError("email is missing")', 'raise ValueError("sku is empty")'];
  for (const platform of ["python", "node", "ruby", "php"]) {
    assertDistinct(...lines.map((line) => at(line, platform)));
  }
  for (const platform of ["go", "java"]) assertSame(...lines.map((line) => at(line, platform)));
  const older = lines.map((line) => groupEvent(normalized(at(line, "python"))).hashes[1]);
  assert.equal(older[0], older[1]);
});

Deno.test("groupEvent() never gives a new hash that an older version gave other errors", () => {
  // A line that is too long does not count; the other's older hash must not lead to it.
  const at = (line: string) =>
    groupEvent(normalized(error([{
      module: "shop",
      function: "pay",
      in_app: true,
      context_line: line,
    }]))).hashes;
  const [tooLong, short] = [at("x".repeat(130)), at("pay()")];
  assert.equal(tooLong[1], short[1]);
  assert.ok(!short.includes(tooLong[0]));
});

Deno.test("groupEvent() never counts frames of SDKs and runtimes as the application's", () => {
  const rust = (...functions: string[]) => ({
    platform: "native",
    exception: {
      type: "panic",
      value: "x",
      stacktrace: { frames: functions.map((name) => ({ function: name, in_app: true })) },
    },
  });
  assertSame(
    rust("shop::pay"),
    rust("std::rt::lang_start", "shop::pay", "core::panicking::panic_fmt", "sentry_panic::panic"),
  );
  assertDistinct(rust("shop::pay", "std::panicking::panic"), rust("shop::refund"));
});

Deno.test("groupEvent() goes by message and route where something was thrown that is no error", () => {
  const thrown = (value: string, transaction: string, in_app = false) => ({
    platform: "node",
    transaction,
    exception: {
      type: "Error",
      value,
      mechanism: { type: "express", synthetic: true },
      stacktrace: {
        frames: [{ filename: "/a/node_modules/router/layer.js", function: "next", in_app }],
      },
    },
  });
  assertSame(thrown("order 7 is gone", "GET /a/7"), thrown("order 8 is gone", "GET /a/8"));
  assertDistinct(
    thrown("order is gone", "GET /a"),
    thrown("order is late", "GET /a"),
    thrown("order is gone", "GET /b"),
  );
  assertSame(thrown("one", "GET /a", true), thrown("two", "GET /b", true));
});

Deno.test("groupEvent() counts a recursion once", () => {
  assertSame(error(["a:f", "a:g"]), error(["a:f", "a:f", "a:f", "a:g"]));
});

Deno.test("groupEvent() goes by file name where there is no module, and by source where there is no name", () => {
  const frame = (more: Sent) => error([{ in_app: true, ...more }]);
  assertSame(
    frame({ filename: "/a/Pay.py", function: "f" }),
    frame({ filename: "/b/pay.py", function: "f" }),
  );
  assertSame(
    frame({ filename: "a.py", context_line: "  run( x )" }),
    frame({ filename: "a.py", context_line: "run(  x )" }),
  );
  assertDistinct(
    frame({ filename: "a.py", context_line: "run(x)" }),
    frame({ filename: "a.py", context_line: "run(y)" }),
  );
  const long = "x".repeat(130);
  assertSame(
    frame({ filename: "a.py", context_line: long + "1" }),
    frame({ filename: "a.py", context_line: long + "2" }),
  );
});

Deno.test("groupEvent() holds a script's errors together over its builds", () => {
  const script = (url: string, name = "pay") =>
    error([{ filename: url, function: name, in_app: true }], { platform: "javascript" });
  assertSame(
    script("https://a.example.com/assets/index-BdQq4n0x.js"),
    script("https://b.example.com/v2/assets/index-C_x9-1aZ.js?v=3"),
  );
  assertSame(
    script("https://h/main.3f2a1b9c.chunk.js"),
    script("https://h/main.00ff11aa.chunk.js"),
  );
  assertDistinct(script("https://h/main.js"), script("https://h/user-settings.js"));
  assertSame(script("https://h/users/1"), script("https://h/users/2"));
});

Deno.test("groupEvent() does not mind how browsers report native frames and anonymous functions", () => {
  const frames = (...names: Sent[]) =>
    error(names.map((frame) => ({ in_app: true, ...frame })), { platform: "javascript" });
  const pay = { filename: "https://h/a.js", function: "pay" };
  assertSame(
    frames(pay, { filename: "<anonymous>", function: "Array.map" }, {
      filename: "https://h/a.js",
      function: "?",
    }),
    frames(pay, { filename: "https://h/a.js", function: "Object.<anonymous>" }),
  );
});

Deno.test("groupEvent() goes by the value where the stack says nothing", () => {
  const value = (text: string, stacktrace: unknown = null) => ({
    exception: { type: "E", value: text, stacktrace },
  });
  assertSame(value("user 7 gone"), value("user 8 gone"), value("user 9 gone", { frames: [] }));
  assertDistinct(value("user 7 gone"), value("user 7 lost"), {
    exception: { type: "F", value: "user 7 gone" },
  });
  const lone = { frames: [{ filename: "https://h/a.js", lineno: 1 }] };
  assertDistinct(
    { platform: "javascript", ...value("one", lone) },
    { platform: "javascript", ...value("two", lone) },
  );
});

Deno.test("groupEvent() does not count a type that the SDK made up", () => {
  const made = (type: string) => ({
    exception: { type, value: "x", mechanism: { synthetic: true } },
  });
  assertSame(made("A"), made("B"));
});

Deno.test("groupEvent() counts every exception of a chain", () => {
  const chain = (...types: string[]) => ({
    exception: types.map((type) => ({ type, value: "x" })),
  });
  assertDistinct(chain("A"), chain("B", "A"), chain("C", "A"), chain("A", "B"));
});

Deno.test("groupEvent() looks into exception groups", () => {
  const member = (id: number, type: string, value: string, parent = 0) => ({
    type,
    value,
    mechanism: { exception_id: id, parent_id: parent },
  });
  const root = {
    type: "ExceptionGroup",
    value: "2 errors",
    mechanism: { exception_id: 0, is_exception_group: true },
  };
  const group = (...members: Sent[]) => ({ exception: [...members, root] });
  assertSame(
    group(member(1, "A", "job 1")),
    group(member(2, "A", "job 2"), member(1, "A", "job 3")),
    { exception: { type: "A", value: "job 7" } },
  );
  assertSame(
    group(member(1, "A", "x"), member(2, "B", "y")),
    group(member(1, "B", "y"), member(2, "A", "x")),
  );
  assertDistinct(
    group(member(1, "A", "x")),
    group(member(1, "B", "x")),
    group(member(1, "A", "x"), member(2, "B", "x")),
  );
  assertSame(
    group(member(1, "A", "x", 2), {
      ...root,
      mechanism: { exception_id: 2, parent_id: 0, is_exception_group: true },
    }),
    group(member(1, "A", "x")),
  );
});

Deno.test("groupEvent() bears ids of exceptions that make no tree", () => {
  const odd = (...ids: [unknown, unknown][]) => ({
    exception: ids.map(([exception_id, parent_id]) => ({
      type: "E",
      value: "x",
      mechanism: { exception_id, parent_id, is_exception_group: true },
    })),
  });
  for (
    const ids of [[[0, 1], [1, 0]], [[0, 0], [0, 0]], [[0, null], [7, 9]], [[null, null], [1, 0]], [
      [0, 0],
      [1, 1],
    ]]
  ) {
    assert.match(hash(odd(...ids as [unknown, unknown][])), /^[0-9a-f]{32}$/);
  }
});

Deno.test("groupEvent() holds messages together by their template", () => {
  assertSame(
    { logentry: { message: "user %s gone", formatted: "user ann gone" } },
    { logentry: { message: "user %s gone", params: ["bob"] } },
  );
  assertSame({ message: "order 1 failed" }, { message: "order 22 failed", level: "fatal" });
  assertDistinct({ message: "order 1 failed" }, { message: "order 1 sent" });
});

Deno.test("groupEvent() holds a message together whether or not the SDK attached a stack to it", () => {
  const exception = {
    value: "low",
    mechanism: { synthetic: true },
    stacktrace: { frames: [{ function: "f", in_app: true }] },
  };
  assertSame({ message: "low" }, { message: "low", exception });
});

Deno.test("groupEvent() goes by the crashed thread, the running one, or the only one", () => {
  const thread = (name: string, more: Sent = {}) => ({
    stacktrace: { frames: [{ function: name }] },
    ...more,
  });
  const only = { threads: [thread("a")] };
  assertSame(
    only,
    { threads: [thread("b"), thread("a", { crashed: true })] },
    { threads: [thread("b"), thread("a", { current: true })] },
    { threads: [thread("b", { current: true }), thread("a", { crashed: true })] },
  );
  assertSame({ threads: [thread("a"), thread("b")] }, {});
});

Deno.test("groupEvent() goes by a lone stack, a template, a policy report", () => {
  assertDistinct(
    { stacktrace: { frames: [{ function: "f" }] } },
    { template: { filename: "a.html", context_line: "{{ x }}" } },
    { csp: { effective_directive: "img-src", blocked_uri: "https://a.example.com/1" } },
    { csp: { effective_directive: "img-src", blocked_uri: "https://b.example.com/1" } },
    {},
  );
  assertSame(
    { csp: { effective_directive: "img-src", blocked_uri: "https://a.example.com/1" } },
    { csp: { effective_directive: "img-src", blocked_uri: "https://a.example.com/2" } },
  );
});

Deno.test("groupEvent() obeys a checksum before all else", () => {
  const md5 = "0123456789abcdef0123456789abcdef";
  assert.equal(hash({ checksum: md5.toUpperCase(), message: "a", fingerprint: ["x"] }), md5);
  assertSame({ checksum: "mine", message: "a" }, { checksum: "mine", message: "b" });
  assertDistinct({ checksum: "mine" }, { checksum: "yours" });
});

Deno.test("groupEvent() obeys a client's fingerprint", () => {
  assertSame({ fingerprint: ["a", "b"], message: "x" }, {
    fingerprint: ["a", "b"],
    ...error(["m:f"]),
  });
  assertDistinct({ fingerprint: ["a", "b"] }, { fingerprint: ["ab"] }, {
    fingerprint: ["a", "b", "c"],
  });
  assertSame({ fingerprint: ["{{ default }}"], message: "x" }, { fingerprint: [], message: "x" }, {
    message: "x",
  });
});

Deno.test("groupEvent() refines the default grouping by {{ default }} beside other values", () => {
  const hybrid = (message: string, ...more: string[]) => ({
    message,
    fingerprint: ["{{default}}", ...more],
  });
  assertSame(hybrid("job 1", "eu"), hybrid("job 2", "eu"));
  assertDistinct(hybrid("job 1", "eu"), hybrid("job 1", "us"), hybrid("task 1", "eu"), {
    message: "job 1",
  });
});

Deno.test("groupEvent() fills in every variable of a fingerprint", () => {
  const event = {
    platform: "python",
    transaction: "/pay",
    level: "warning",
    logger: "shop",
    tags: { region: "eu" },
    release: "r1",
    exception: {
      type: "E",
      value: "v",
      stacktrace: {
        frames: [
          {
            function: "f",
            module: "m",
            package: "p",
            filename: "a.py",
            abs_path: "/x/a.py",
            in_app: true,
          },
        ],
      },
    },
  };
  const values: Record<string, string> = {
    transaction: "/pay",
    level: "warning",
    logger: "shop",
    "tags.region": "eu",
    "tags.release": "r1",
    type: "E",
    "error.type": "E",
    value: "v",
    "error.value": "v",
    message: "v",
    function: "f",
    "stack.function": "f",
    path: "/x/a.py",
    "stack.abs_path": "/x/a.py",
    "stack.filename": "a.py",
    module: "m",
    "stack.module": "m",
    package: "p",
    "stack.package": "p",
    "tags.none": "<no-value-for-tag-none>",
    odd: "<unrecognized-variable-odd>",
    constructor: "<unrecognized-variable-constructor>",
  };
  for (const [variable, value] of Object.entries(values)) {
    assertSame({ ...event, fingerprint: [`{{ ${variable} }}`, "x"] }, {
      ...event,
      fingerprint: [value, "x"],
    });
    assertSame({ ...event, fingerprint: [`a-{{${variable}}}`] }, {
      ...event,
      fingerprint: [`a-${value}`],
    });
  }
  assertSame({ fingerprint: ["{{ transaction }}"] }, { fingerprint: ["<no-transaction>"] });
});

Deno.test("groupEvent() holds chunk-load and hydration errors together, wherever they happen", () => {
  const script = (type: string, value: string, name: string) => ({
    platform: "javascript",
    exception: {
      type,
      value,
      stacktrace: { frames: [{ function: name, filename: "https://h/a.js", in_app: true }] },
    },
  });
  assertSame(
    script("ChunkLoadError", "Loading chunk 7 failed.", "a"),
    script("Error", "Loading chunk shop-cart failed.", "b"),
    script("TypeError", "Failed to fetch dynamically imported module: https://h/x.js", "c"),
  );
  assertSame(
    script(
      "Error",
      "Hydration failed because the server rendered HTML didn't match the client.",
      "a",
    ),
    script("Error", "Minified React error #418; visit https://react.dev/errors/418", "b"),
  );
  assertDistinct(script("Error", "x", "a"), script("Error", "x", "b"));
});
