import assert from "node:assert/strict";
import { noteReading } from "@/lib/server/own_health/recent.ts";
import { recentLoad } from "@/lib/server/own_health/recent.ts";
import { faultyLink } from "../../support/faulty_link.ts";
import { acme, textOf } from "../../support/ui_app.ts";
import { builtApp } from "../../support/built_app.ts";
import { newVisitor } from "../../support/visitor.ts";
import { waitFor } from "../../support/wait_for.ts";

Deno.test("the Instance page tells the load of the last minute, and how far background work is behind", async () => {
  await using app = await acme();
  noteReading();
  await waitFor("a second", () => recentLoad());
  const { html } = await app.owner.get("/instance");
  const text = textOf(html);
  for (
    const part of [
      /Load of the last minute/,
      /Requests \d+\.\d\/s/,
      /Wait for a commit 0 records/,
      /A commit takes/,
      /Deno KV responds in/,
      /Counts are behind by \S+/,
      /Notices on their way 0/,
      /Memory \d+/,
    ]
  ) assert.match(text, part);
});

Deno.test("while Postgres is away, the Instance page leaves out what it would have told", async () => {
  await using app = await acme();
  await using link = faultyLink(app.services.sql);
  link.pause();
  const visitor = newVisitor(builtApp({ ...app.services, sql: link.sql }));
  await visitor.signIn("olga@example.com");
  const { html, status } = await visitor.get("/instance");
  const text = textOf(html);
  assert.equal(status, 200);
  assert.match(text, /Postgres: away/);
  assert.match(text, /Load of the last minute/);
  assert.doesNotMatch(text, /Counts are behind by/);
});
