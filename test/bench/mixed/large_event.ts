import { gzipSync } from "node:zlib";
import type { MadeRequest } from "./requests.ts";

const FRAMES = 55;
const CONTEXT_LINES = 5;
const BREADCRUMBS = 60;

/** Real source text compresses as events do, which made-up text does not. */
const SOURCES = await Promise.all(
  ["ingest/writer/writer.ts", "ingest/pipeline.ts", "ingest/spool.ts", "store/objects/s3.ts"].map(
    async (path) => {
      const text = await Deno.readTextFile(new URL(`../../../lib/${path}`, import.meta.url));
      return { path, lines: text.split("\n") };
    },
  ),
);

/** An error of about 50 KB: a deep stack with source and variables, and a long trail of breadcrumbs. */
export function largeErrorRequest(index: number): MadeRequest {
  const header = { event_id: id(), sent_at: new Date().toISOString() };
  const text = [header, { type: "event" }, largeError(index)]
    .map((part) => JSON.stringify(part)).join("\n");
  return { body: gzipSync(text), bytes: text.length };
}

function largeError(index: number): Record<string, unknown> {
  return {
    timestamp: Date.now() / 1000,
    platform: "node",
    level: "error",
    environment: "production",
    release: `shop@1.${index % 5}.0`,
    server_name: `web-${index % 8}`,
    user: { id: String(index), email: `user${index}@example.test`, ip_address: "203.0.113.7" },
    tags: { plan: "team", region: "eu-1", order: id() },
    request: {
      method: "POST",
      url: `https://shop.example.test/orders/${index}`,
      headers: { host: "shop.example.test", "x-request-id": crypto.randomUUID() },
    },
    contexts: {
      runtime: { name: "node", version: "v24.0.0" },
      trace: { trace_id: id(), span_id: id().slice(16) },
    },
    breadcrumbs: Array.from({ length: BREADCRUMBS }, (_, at) => ({
      timestamp: Date.now() / 1000 - at * Math.random(),
      category: at % 3 === 0 ? "http" : "console",
      level: "info",
      message: `order ${crypto.randomUUID()} was loaded in ${Math.round(Math.random() * 900)} ms`,
      data: { url: `https://api.example.test/items/${index * at}`, status_code: 200 },
    })),
    exception: {
      values: [{
        type: "OrderError",
        value: `Cannot place order of variant ${index % 10}`,
        stacktrace: { frames: Array.from({ length: FRAMES }, (_, at) => frame(index, at)) },
      }],
    },
  };
}

function frame(index: number, at: number): Record<string, unknown> {
  const { path, lines } = SOURCES[at % SOURCES.length] ?? { path: "", lines: [] };
  const lineno = 40 + (at * 13) % 80;
  return {
    filename: `/app/lib/${path}`,
    abs_path: `/app/lib/${path}`,
    function: `step${at}Of${index % 10}`,
    lineno,
    colno: 7 + at,
    in_app: at > 8,
    pre_context: lines.slice(lineno - 1 - CONTEXT_LINES, lineno - 1),
    context_line: lines[lineno - 1],
    post_context: lines.slice(lineno, lineno + CONTEXT_LINES),
    vars: { orderId: index * 31 + at, attempt: at % 3 },
  };
}

function id(): string {
  return crypto.randomUUID().replaceAll("-", "");
}
