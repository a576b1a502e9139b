// A shop's service: see services.ts for what it has to do.
const Sentry = require("@sentry/node");

Sentry.init({
  dsn: process.env.SENTRY_DSN,
  release: "1.4.2",
  environment: "production",
  tracesSampleRate: 1,
  propagateTraceparent: true,
  enableLogs: true,
});

const express = require("express");
const { Pool } = require("pg");

const pool = new Pool({ max: 1 });
const app = express();
const back = process.env.BACK_URL;

app.get("/users/:id", async (request, response) => {
  const { id } = request.params;
  const { rows } = await pool.query("select $1::int as id, 'Ann' as name", [id]);
  Sentry.logger.warn("Stock is low", { item: 4711 });
  if (back !== undefined) await (await fetch(`${back}/users/${id}`)).json();
  response.json(rows[0]);
});

app.get("/fail", () => {
  throw new Error("Cannot charge order 4711");
});

Sentry.setupExpressErrorHandler(app);

const server = app.listen(0, "127.0.0.1", () => {
  console.log(`listening http://127.0.0.1:${server.address().port}`);
});

process.on("SIGTERM", async () => {
  server.closeAllConnections();
  await pool.end();
  await Sentry.close(5000);
  process.exit(0);
});
