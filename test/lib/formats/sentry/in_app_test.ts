import assert from "node:assert/strict";
import { isInApp, isRuntime, type JudgedFrame } from "@/lib/formats/sentry/frames.ts";
import { culpritOf } from "@/lib/formats/sentry/title.ts";
import { normalized } from "./decode.ts";

/** As `@sentry/browser` 11.12.0 sends them with zone.js 0.15.1, the newest last: all are the application's, it says. */
const ANGULAR: readonly [name: string, file: string][] = [
  ["HTMLButtonElement.globalZoneAwareCallback", "/polyfills.js"],
  ["globalCallback", "/polyfills-FFHMD2TL.js"],
  ["ZoneTask.invokeTask [as invoke]", "/zone.js"],
  ["_ZoneDelegate.invokeTask", "/main.js"],
  ["HTMLButtonElement.sentryWrapped", "/main.js"],
];

/** As the crate `sentry` 0.42 sends them. */
const RUST = [
  "__libc_start_main_impl",
  "<&dyn core::ops::function::Fn<(), Output = i32> as core::ops::function::FnOnce<()>>::call_once",
  "std::panicking::begin_panic_handler",
  "core::option::Option<T>::expect",
  "sentry_panic::PanicIntegration::event_from_panic_info",
  "rust_begin_unwind",
];

function script(name: string, file: string) {
  return { function: name, filename: file, abs_path: `https://shop.test${file}`, in_app: true };
}

Deno.test("isInApp() is never true for frames of runtimes and SDKs, whatever the SDK says", () => {
  const foreign: [platform: string, frame: JudgedFrame][] = [
    ...ANGULAR.map((frame): [string, JudgedFrame] => ["javascript", script(...frame)]),
    ...RUST.map((name): [string, JudgedFrame] => ["native", { function: name }]),
    ["node", { filename: "node:internal/process/task_queues" }],
    ["node", { filename: "/app/node_modules/@sentry/node/build/cjs/index.js" }],
    ["python", { module: "sentry_sdk.integrations.django", filename: "sentry_sdk/x.py" }],
    ["python", { abs_path: "/usr/lib/python3.11/json/decoder.py" }],
    ["java", { module: "java.util.ArrayList" }],
    ["java", { module: "jdk.internal.reflect.DirectMethodHandleAccessor" }],
    ["java", { module: "sun.reflect.NativeMethodAccessorImpl" }],
    ["go", { module: "runtime" }],
    ["go", { module: "net/http" }],
    ["csharp", { module: "System.Linq.Enumerable" }],
    // A frame's own platform goes before the event's.
    ["cocoa", { platform: "java", module: "java.lang.Thread" }],
  ];
  for (const [platform, frame] of foreign) {
    assert.ok(isRuntime(frame, platform), JSON.stringify(frame));
    assert.ok(!isInApp({ ...frame, in_app: true }, platform), JSON.stringify(frame));
  }
});

Deno.test("isInApp() leaves all other frames to the SDK", () => {
  const own: [platform: string, frame: JudgedFrame][] = [
    ["javascript", script("Cart.total", "/main.js")],
    ["javascript", script("render", "/polyfilled-cart.js")],
    ["native", { function: "shop::cart::total" }],
    ["native", { function: "<shop::Cart as core::fmt::Display>::fmt" }],
    ["python", { module: "shop.views", abs_path: "/srv/lib/shop/views.py" }],
    ["python", { abs_path: "/venv/lib/python3.11/site-packages/shop/views.py" }],
    ["java", { module: "com.acme.java.Cart" }],
    ["go", { module: "main" }],
    ["go", { module: "runtimes/shop" }],
    ["other", { module: "java.util.ArrayList" }],
  ];
  for (const [platform, frame] of own) {
    assert.ok(isInApp({ ...frame, in_app: true }, platform), JSON.stringify(frame));
    assert.ok(!isInApp({ ...frame, in_app: false }, platform));
    assert.ok(!isInApp(frame, platform) || frame.in_app === true);
  }
});

Deno.test("culpritOf() names the application's function among frames of Angular's zones and of Rust's panics", () => {
  const culprit = (platform: string, frames: readonly unknown[]) =>
    culpritOf(normalized({ platform, exception: { type: "E", stacktrace: { frames } } }));
  const zones = ANGULAR.map(([name, file]) => script(name, file));
  const handler = { ...script("?", "/main.js") };
  assert.equal(
    culprit("javascript", [script("go", "/main.js"), ...zones, handler]),
    "go(/main.js)",
  );
  const panic = RUST.map((name) => ({ function: name, in_app: true }));
  assert.equal(
    culprit("native", [{ function: "shop::cart::total", in_app: true }, ...panic]),
    "shop::cart::total",
  );
  const ofSdk = { filename: "/app/node_modules/@sentry/core/exports.js", function: "capture" };
  const next = { filename: "/app/node_modules/router/layer.js", function: "next" };
  assert.equal(culprit("node", [next, ofSdk]), "next(/app/node_modules/router/layer.js)");
});
