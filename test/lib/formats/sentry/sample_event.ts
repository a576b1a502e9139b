/** Frames and breadcrumbs of the error that the speed goals are stated for. */
const FRAMES = 20;
const BREADCRUMBS = 30;

/**
 * An error as a Node SDK sends it, 11.8 KB as JSON: 20 frames with source, 30 breadcrumbs, request, user,
 * contexts. Each call makes a new object, since normalising changes what it is given.
 */
export function sampleEvent(): Record<string, unknown> {
  return {
    event_id: "0123456789abcdef0123456789abcdef",
    timestamp: 1795219245.678,
    level: "error",
    platform: "node",
    release: "shop@1.4.0",
    environment: "production",
    server_name: "web-1",
    exception: {
      values: [{
        type: "TypeError",
        value: "Cannot read properties of undefined (reading 'amount')",
        stacktrace: { frames: Array.from({ length: FRAMES }, (_, i) => frame(i)) },
        mechanism: { type: "auto.http.express", handled: false },
      }],
    },
    contexts: {
      trace: { trace_id: "13216d32ed5743dd8e33c31da7272926", span_id: "bec27b5bb603b6f5" },
      runtime: { name: "node", version: "v24.4.1" },
      os: { name: "Debian", version: "13.1\n", kernel_version: "6.12.1" },
      app: { app_start_time: "2026-11-20T22:14:28.703Z", app_memory: 111824896 },
      device: { arch: "x64", memory_size: 25276067840, processor_count: 4 },
      culture: { locale: "en-US", timezone: "UTC" },
    },
    breadcrumbs: Array.from({ length: BREADCRUMBS }, (_, i) => breadcrumb(i)),
    request: {
      method: "POST",
      url: "https://shop.example.com/api/checkout?step=2&cart=9",
      headers: {
        host: "shop.example.com",
        "user-agent":
          "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/143.0.0.0 Safari/537.36",
        accept: "*/*",
        cookie: "theme=dark; lang=en",
      },
    },
    user: { id: 7, email: "ann@example.com", username: "ann" },
    tags: { section: "checkout", tier: "gold" },
    extra: { cart: { items: 3, total: 49.5 } },
    sdk: {
      name: "sentry.javascript.node",
      version: "11.12.0",
      integrations: ["EventFilters", "Http", "Console", "LinkedErrors"],
      packages: [{ name: "npm:@sentry/node", version: "11.12.0" }],
    },
    modules: { "@sentry/node": "11.12.0", express: "5.1.0", pg: "8.16.0" },
  };
}

function frame(i: number) {
  return {
    filename: `/app/src/services/step_${i}.js`,
    module: `services:step_${i}`,
    function: `handleStep${i}`,
    lineno: 10 + i,
    colno: 7,
    in_app: i > 8,
    pre_context: ["async function load(order) {"],
    context_line: `  return rows.map((row) => convert(row, ${i}));`,
    post_context: ["}", ""],
  };
}

function breadcrumb(i: number) {
  return {
    timestamp: 1795219200.123 + i,
    category: i % 2 === 0 ? "http" : "console",
    level: "info",
    message: `GET /orders/${i}`,
    data: { status_code: 200, method: "GET", url: `https://api.example.com/orders/${i}` },
  };
}
