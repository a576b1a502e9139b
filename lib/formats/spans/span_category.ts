import type { SpanCategory, SpanKind } from "../../records/mod.ts";

/** By the first word of the operation. */
const BY_FIRST_WORD: Readonly<Record<string, SpanCategory>> = {
  http: "http",
  db: "db",
  cache: "cache",
  queue: "queue",
  message: "queue",
  messaging: "queue",
  rpc: "rpc",
  grpc: "rpc",
  view: "render",
  template: "render",
  resource: "resource",
  file: "file",
  object: "file",
  gen_ai: "ai",
  ai: "ai",
};

const UI_RENDER = /^ui\.(?:render|react|vue|svelte|angular|ember|solid)(?:\.|$)/;
/** Rails names its controllers' actions so. */
const CONTROLLER = /^view\.process_action(?:\.|$)/;

/**
 * What a span of this operation spends its time on. Serving a request is the program itself: `http` and `rpc` are
 * calls to others.
 */
export function categoryOf(op: string, kind: SpanKind): SpanCategory {
  if (UI_RENDER.test(op)) return "render";
  const [first = ""] = op.split(".", 1);
  const category = Object.hasOwn(BY_FIRST_WORD, first) ? BY_FIRST_WORD[first] ?? "" : "";
  if (category === "http" || category === "rpc") return isCall(op, kind) ? category : "";
  if (category === "render" && CONTROLLER.test(op)) return "";
  return kind === "server" ? "" : category;
}

function isCall(op: string, kind: SpanKind): boolean {
  if (op.includes("server") || kind === "server" || kind === "consumer") return false;
  // Within a server, frameworks repeat the request's attributes on their own steps.
  return kind !== "internal" || op.includes("client");
}
