/** Envelopes for load tests: 20 frames with source context, 30 breadcrumbs, 11.8 KB in all. */

const FRAMES = 20;
const BREADCRUMBS = 30;
/** Different failures, so that the load falls on many issues as in life. */
export const VARIANTS = 10;
export const ENVELOPE_BYTES = 11_800;

/** Everything after the envelope's header line for one of the `VARIANTS`, of about so many bytes. */
export function envelopeRest(variant: number, bytes = ENVELOPE_BYTES): string {
  const bare = JSON.stringify(event(variant, ""));
  const padding = Math.max(0, bytes - bare.length - '{"type":"event"}\n'.length - 80);
  return `{"type":"event"}\n${JSON.stringify(event(variant, filler(padding)))}`;
}

function event(variant: number, padding: string): Record<string, unknown> {
  return {
    timestamp: Date.now() / 1000,
    platform: "node",
    level: "error",
    environment: variant % 4 === 0 ? "staging" : "production",
    release: `shop@1.${variant % 5}.0`,
    server_name: `web-${variant % 8}`,
    transaction: `POST /orders/${variant}`,
    sdk: { name: "sentry.javascript.node", version: "11.12.0" },
    user: { id: String(variant * 7), email: `user${variant}@example.test` },
    tags: { plan: "team", region: "eu-1", shard: String(variant % 16) },
    request: {
      method: "POST",
      url: "https://shop.example.test/orders",
      headers: { host: "shop.example.test" },
    },
    contexts: { runtime: { name: "node", version: "v24.0.0" }, os: { name: "Linux" } },
    extra: { notes: padding },
    breadcrumbs: Array.from({ length: BREADCRUMBS }, (_, index) => ({
      timestamp: Date.now() / 1000 - index,
      category: "http",
      type: "http",
      level: "info",
      data: { url: `https://api.example.test/items/${index}`, method: "GET", status_code: 200 },
    })),
    exception: {
      values: [{
        type: "OrderError",
        value: `Cannot place order ${variant}`,
        mechanism: { type: "generic", handled: true },
        stacktrace: { frames: Array.from({ length: FRAMES }, (_, index) => frame(variant, index)) },
      }],
    },
  };
}

function frame(variant: number, index: number): Record<string, unknown> {
  return {
    filename: `/app/src/orders/step${index}.js`,
    module: `orders.step${index}`,
    function: `step${index}Of${variant}`,
    lineno: 10 + index,
    colno: 7,
    in_app: index > 8,
    pre_context: ["  const order = await load(id);", "  if (order.isPaid) return order;"],
    context_line: `  const result = await next(order, ${index});`,
    post_context: ["  return result;", "}"],
  };
}

/** Text that compresses about as well as logs do. */
function filler(length: number): string {
  let text = "";
  for (let index = 0; text.length < length; index++) {
    text += `item ${index} of ${(index * 7919) % 10_007} is in stock; `;
  }
  return text.slice(0, length);
}
