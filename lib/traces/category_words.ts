import type { SpanCategory } from "../records/mod.ts";

/** What people call the work of a category. */
export const CATEGORY_WORDS: Readonly<Record<SpanCategory, string>> = {
  "": "Own code",
  http: "HTTP calls",
  db: "Database",
  cache: "Cache",
  queue: "Queues",
  rpc: "RPC calls",
  render: "Rendering",
  resource: "Resources",
  file: "Files",
  ai: "AI",
};
