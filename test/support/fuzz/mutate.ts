/** Changes to JSON values that somebody with bad intentions, or a broken client, might make. */
import fc from "fast-check";

/** What a field may turn out to be. */
const oddText = fc.constantFrom(
  ...[
    "",
    "?",
    "...",
    "\0",
    "a\0b",
    "\ud800",
    "\udc00\ud800",
    "__proto__",
    "constructor",
    "toString",
  ],
  ...[
    "x".repeat(300),
    "é".repeat(9_000),
    "😀".repeat(200),
    "\u001b[31mred",
    "a\r\nb\n",
    "{{auto}}",
  ],
  ...[
    "{{ default }}",
    "{{ tags.x }}",
    "2026-11-20",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
  ],
  ...[
    "1767323045.678",
    "\\u0000",
    "\\ud800\\",
    "a=%00",
    "1e400",
    "NaN",
    "-5",
    "12",
    "warn",
    "%zz%41",
    "?a=1&a=2&b",
    "https://h/%?q#f",
  ],
  ...[
    "http://[::1",
    "a=b; c=%",
    "[1,2",
    '{"__proto__":{"a":1}}',
    "TypeError: x",
    "none",
    "transaction",
  ],
);
const oddNumber = fc.constantFrom(
  ...[0, -1, 1.5, 1e11, 1e14, 1e18, 1e30, 253402300800, 1767323045, 2 ** 53, 1e-7, 40],
);
export const oddValue: fc.Arbitrary<unknown> = fc.oneof(
  { maxDepth: 3, depthSize: "small" },
  fc.constantFrom(null, true, false, [], {}, [null], { values: null }, { values: [null] }),
  oddText,
  oddNumber,
  fc.jsonValue({ maxDepth: 3 }),
  fc.constantFrom([["a", 1], ["a", null], [null, 2], "x", ["b", ["c", {}]]], { a: [1, { b: 2 }] }),
);

/** Every field name that any normaliser looks at, and some that none does. */
export const fieldNames = fc.constantFrom(
  ...[
    "event_id",
    "timestamp",
    "level",
    "platform",
    "release",
    "environment",
    "message",
    "logentry",
  ],
  ...["exception", "stacktrace", "threads", "breadcrumbs", "tags", "user", "request", "contexts"],
  ...[
    "extra",
    "fingerprint",
    "checksum",
    "modules",
    "sdk",
    "debug_meta",
    "csp",
    "errors",
    "template",
  ],
  ...[
    "values",
    "frames",
    "mechanism",
    "type",
    "value",
    "module",
    "thread_id",
    "handled",
    "synthetic",
  ],
  ...[
    "exception_id",
    "parent_id",
    "is_exception_group",
    "function",
    "filename",
    "abs_path",
    "lineno",
  ],
  ...[
    "pre_context",
    "context_line",
    "in_app",
    "vars",
    "data",
    "headers",
    "cookies",
    "query_string",
  ],
  ...[
    "url",
    "method",
    "env",
    "id",
    "email",
    "ip_address",
    "trace",
    "trace_id",
    "span_id",
    "images",
  ],
  ...["formatted", "params", "crashed", "current", "category", "sentry.interfaces.Exception"],
  ...[
    "__proto__",
    "constructor",
    "hasOwnProperty",
    "toJSON",
    "length",
    "unknown",
    "a\0b",
    "\ud800",
  ],
);

export interface Mutation {
  /** Which of the event's nodes is hit, as a fraction of their number. */
  readonly at: number;
  readonly kind: "replace" | "add" | "remove" | "repeat";
  readonly name: string;
  readonly value: unknown;
}

export const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
  kind: fc.constantFrom("replace", "replace", "add", "remove", "repeat"),
  name: fieldNames,
  value: oddValue,
});

type Container = Record<string, unknown> | unknown[];

/** All places in a JSON value that hold something, outermost first. */
function places(root: unknown): { container: Container; key: string }[] {
  const found: { container: Container; key: string }[] = [];
  const visit = (container: Container) => {
    for (const [key, child] of Object.entries(container)) {
      found.push({ container, key });
      if (typeof child === "object" && child !== null) visit(child as Container);
    }
  };
  visit(root as Container);
  return found;
}

function set(container: Container, key: string, value: unknown): void {
  Object.defineProperty(container, key, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
}

/** Changes one place in a JSON value. */
export function mutate(root: unknown, { at, kind, name, value }: Mutation): void {
  const all = places(root);
  const place = all[Math.floor(at * all.length)];
  if (!place) return;
  const { container, key } = place;
  const current = (container as Record<string, unknown>)[key];
  const copy = structuredClone(value); // the next mutation may hit it
  if (kind === "replace") set(container, key, copy);
  else if (kind === "remove") Reflect.deleteProperty(container, key);
  else if (kind === "repeat") set(container, key, repeated(current));
  else if (Array.isArray(container)) container.push(copy);
  else set(container, name, copy);
}

/** A large list, but not a larger event than is accepted. Copies: the next mutation must not hit all of them. */
function repeated(value: unknown): unknown[] {
  const size = JSON.stringify(value ?? null).length;
  const length = Math.max(1, Math.min(300, Math.floor(100_000 / size)));
  return Array.from({ length }, () => structuredClone(value));
}
