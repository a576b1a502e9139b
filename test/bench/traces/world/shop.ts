/** A shop of three services: what they are called, which work they do, how long it takes. */
import type { SpanCategory } from "@/lib/records/mod.ts";
import { Random } from "./random.ts";

/** Work that spans of one kind do, such as one statement. */
export interface Work {
  readonly category: SpanCategory;
  readonly op: string;
  /** As spans have it; `?` stands for a number. */
  readonly description: string;
  readonly group: string;
  readonly medianMs: number;
}

/** Transactions of one name. */
export interface Endpoint {
  readonly service: "web" | "api" | "checkout";
  readonly name: string;
  readonly op: string;
  readonly httpMethod: string;
  readonly route: string;
  readonly medianMs: number;
  /** What a request does, one after the other. */
  readonly works: readonly Work[];
}

export const RELEASES = Array.from({ length: 10 }, (_, index) => `shop@2.${index}.0`);
export const BROWSERS = ["Chrome", "Safari", "Firefox", "Edge"];
export const COUNTRIES = ["US", "DE", "GB", "FR", "IN", "BR", "JP", "CA", "NL", "ES", "PL", "AU"];

const NAMES = { web: 150, api: 250, checkout: 100 };
const STATEMENTS = 500;
const NOUNS = [
  ...["order", "user", "item", "cart", "price", "review", "invoice", "refund", "address", "coupon"],
  ...[
    "shipment",
    "supplier",
    "category",
    "wishlist",
    "session",
    "payment",
    "return",
    "gift",
    "tax",
  ],
  ...["store", "shelf", "label", "image", "banner", "rating"],
];
const VERBS = [
  "list",
  "find",
  "search",
  "export",
  "count",
  "sync",
  "check",
  "rank",
  "merge",
  "audit",
];
const random = new Random(7);

function nounAt(index: number): string {
  return NOUNS[index % NOUNS.length] ?? "";
}

function verbAt(index: number): string {
  return VERBS[Math.floor(index / NOUNS.length) % VERBS.length] ?? "";
}

const statements = Array.from({ length: STATEMENTS }, (_, index): Work => {
  const table = `${nounAt(index)}_${verbAt(index)}s`;
  const column = `${nounAt(index * 7 + 3)}_id`;
  const text = [
    `SELECT id, name, ${column}, created_at FROM ${table} WHERE ${column} = $1 AND step_${index} > $2 LIMIT $3`,
    `UPDATE ${table} SET ${column} = $1, changed_${index} = $2 WHERE id = $3`,
    `INSERT INTO ${table} (${column}, note_${index}) VALUES ($1, $2) RETURNING id`,
  ][index % 7 < 5 ? 0 : index % 7 - 4] ?? "";
  const medianMs = 0.5 + 20 * random.share() ** 3;
  return { category: "db", op: "db.query", description: text, group: text, medianMs };
});

const caches = Array.from({ length: 40 }, (_, index): Work => ({
  category: "cache",
  op: "cache.get",
  description: `${nounAt(index)}:?`,
  group: `GET ${nounAt(index)}:${verbAt(index)}:?`,
  medianMs: 0.8,
}));

const calls = Array.from({ length: 60 }, (_, index): Work => ({
  category: "http",
  op: "http.client",
  description: `GET https://${nounAt(index)}.internal/v1/${nounAt(index * 3)}/?`,
  group: `GET ${nounAt(index)}.internal/v1/${verbAt(index)}`,
  medianMs: 40,
}));

const resources = Array.from({ length: 80 }, (_, index): Work => ({
  category: "resource",
  op: ["resource.script", "resource.css", "resource.img"][index % 3] ?? "",
  description: `https://cdn.shop.example/assets/${nounAt(index)}-${index}.js`,
  group: `cdn.shop.example/assets/${nounAt(index)}-*.js`,
  medianMs: 60,
}));

const ownCode: Work = {
  category: "",
  op: "function",
  description: "render",
  group: "",
  medianMs: 5,
};

/** Endpoints of a service, the most frequent first. */
export const ENDPOINTS: Readonly<Record<Endpoint["service"], readonly Endpoint[]>> = {
  web: makeEndpoints("web", () => some(resources, 7, calls, 2)),
  api: makeEndpoints("api", () => some(statements, 7, caches, 2)),
  checkout: makeEndpoints("checkout", () => some(statements, 5, calls, 3)),
};

function some(first: readonly Work[], many: number, second: readonly Work[], few: number): Work[] {
  const pick = (works: readonly Work[], count: number) =>
    Array.from({ length: count }, () => random.pickRanked(works));
  return [...pick(first, many), ownCode, ...pick(second, few)];
}

function makeEndpoints(service: Endpoint["service"], worksOf: () => Work[]): Endpoint[] {
  return Array.from({ length: NAMES[service] }, (_, index) => {
    const httpMethod = service === "web" ? "" : ["GET", "GET", "POST", "PUT"][index % 4] ?? "";
    const path = `/${service}/${nounAt(index)}s/${verbAt(index)}/:id`;
    return {
      service,
      name: service === "web" ? path : `${httpMethod} ${path}`,
      op: service === "web" ? "pageload" : "http.server",
      httpMethod,
      route: service === "web" ? "" : path,
      medianMs: (service === "web" ? 900 : 30) * (0.5 + 2 * random.share()),
      works: worksOf(),
    };
  });
}
