// A shop's service: see services.ts for what it has to do. All settings of OpenTelemetry come from the environment.
const { NodeSDK } = require("@opentelemetry/sdk-node");
const { HttpInstrumentation } = require("@opentelemetry/instrumentation-http");
const { ExpressInstrumentation } = require("@opentelemetry/instrumentation-express");
const { PgInstrumentation } = require("@opentelemetry/instrumentation-pg");

const sdk = new NodeSDK({
  instrumentations: [
    new HttpInstrumentation(),
    new ExpressInstrumentation(),
    new PgInstrumentation(),
  ],
});
sdk.start();

const { SpanStatusCode, trace } = require("@opentelemetry/api");
const { logs, SeverityNumber } = require("@opentelemetry/api-logs");
const express = require("express");
const { Pool } = require("pg");

const pool = new Pool({ max: 1 });
const app = express();

app.get("/users/:id", async (request, response) => {
  const { id } = request.params;
  const { rows } = await pool.query("select $1::int as id, 'Ann' as name", [id]);
  logs.getLogger("shop").emit({
    severityNumber: SeverityNumber.WARN,
    severityText: "WARN",
    body: "Stock is low",
    attributes: { item: 4711 },
  });
  response.json(rows[0]);
});

app.get("/fail", (_request, response) => {
  const error = new Error("Cannot charge order 4711");
  const span = trace.getActiveSpan();
  span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: error.message });
  response.status(500).json({ detail: "failed" });
});

const server = app.listen(0, "127.0.0.1", () => {
  console.log(`listening http://127.0.0.1:${server.address().port}`);
});

process.on("SIGTERM", async () => {
  server.closeAllConnections();
  await pool.end();
  await sdk.shutdown().catch((error) => console.error(String(error)));
  process.exit(0);
});
