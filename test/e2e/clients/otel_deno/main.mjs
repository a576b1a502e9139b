// A shop's service: see services.ts for what it has to do. `OTEL_DENO=true` makes Deno itself send.
import { SpanKind, SpanStatusCode, trace } from "npm:@opentelemetry/api@1.9.1";

const tracer = trace.getTracer("shop");

/** Deno has no database driver of its own, so this span is made as instrumentations make theirs. */
function query(statement) {
  tracer.startActiveSpan("SELECT", {
    kind: SpanKind.CLIENT,
    attributes: {
      "db.system.name": "postgresql",
      "db.query.text": statement,
      "db.operation.name": "SELECT",
    },
  }, (span) => span.end());
}

function user(id) {
  const span = trace.getActiveSpan();
  span?.setAttribute("http.route", "/users/:id");
  span?.updateName("GET /users/:id");
  query("select $1::int as id, 'Ann' as name");
  console.warn("Stock is low");
  return Response.json({ id: Number(id), name: "Ann" });
}

function fail() {
  const error = new Error("Cannot charge order 4711");
  const span = trace.getActiveSpan();
  span?.recordException(error);
  span?.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  return new Response("failed", { status: 500 });
}

const server = Deno.serve({
  hostname: "127.0.0.1",
  port: 0,
  onListen: ({ port }) => console.log(`listening http://127.0.0.1:${port}`),
}, (request) => {
  const id = /^\/users\/(\d+)$/.exec(new URL(request.url).pathname)?.[1];
  return id === undefined ? fail() : user(id);
});

Deno.addSignalListener("SIGTERM", async () => {
  await server.shutdown();
  Deno.exit(0);
});
