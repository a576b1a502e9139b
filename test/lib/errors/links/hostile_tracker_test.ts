import assert from "node:assert/strict";
import { TrackerFailure } from "@/lib/errors/links/ask.ts";
import { createRemote, testConnection } from "@/lib/errors/links/link_actions.ts";
import { InvalidInput } from "@/lib/core/errors.ts";
import { linkedShop } from "../../../support/linked_shop.ts";
import { shop } from "../../../support/shop.ts";
import { addConnection, changeConnection } from "@/lib/errors/links/connections.ts";
import { githubServer } from "../../../support/tracker_servers.ts";

async function hostile() {
  const app = await linkedShop();
  const server = githubServer();
  const input = { url: server.origin, project: "acme/shop", token: "ghp_right" };
  const { connection } = await app.connect("github", input);
  return {
    app,
    server,
    connection,
    input,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await app[Symbol.asyncDispose]();
    },
  };
}

Deno.test("a tracker's redirect to the address of cloud metadata is not followed", async () => {
  await using world = await hostile();
  const location = "http://169.254.169.254/latest/meta-data/";
  world.server.breakWith(() => new Response(null, { status: 302, headers: { location } }));
  await assert.rejects(
    testConnection(world.app.tools, world.connection),
    /redirect, which is not followed/,
  );
  assert.equal(world.server.asked.length, 1);
});

Deno.test("a tracker's answer of 10 MB is not read to its end", async () => {
  await using world = await hostile();
  let sent = 0;
  world.server.breakWith(() => {
    const chunk = new TextEncoder().encode("x".repeat(64 * 1024));
    return new Response(
      new ReadableStream({
        pull(controller) {
          sent += chunk.length;
          if (sent > 10_000_000) controller.close();
          else controller.enqueue(chunk);
        },
      }),
    );
  });
  await assert.rejects(
    testConnection(world.app.tools, world.connection),
    /not what the tracker's API sends/,
  );
  assert.ok(sent < 9_000_000, `${sent} bytes were read`);
});

Deno.test("a tracker that never answers is given up on", async () => {
  await using world = await hostile();
  const { promise, resolve } = Promise.withResolvers<Response>();
  world.server.breakWith(() => promise);
  const tools = { ...world.app.tools, ask: { timeoutMs: 100 } };
  await assert.rejects(testConnection(tools, world.connection), (error) => {
    assert.ok(error instanceof TrackerFailure && error.mayPass);
    assert.match(error.message, /No full answer came within 0.1 s/);
    return true;
  });
  resolve(new Response());
});

Deno.test("an answer of anything but an issue makes no link", async () => {
  await using world = await hostile();
  const { app, connection } = world;
  const draft = { title: "T", body: "", labels: [], assignee: "" };
  const linking = { projectId: app.projectId, issueId: app.issueId, by: "", userId: null };
  for (
    const body of ["[]", "null", '"x"', "{}", '{"number":{}}', "<html>", '{"number":"1/../../x"}']
  ) {
    world.server.breakWith(() => new Response(body));
    const id = crypto.randomUUID();
    await assert.rejects(
      createRemote(app.tools, linking, connection.connectionId, draft, id),
      InvalidInput,
      body,
    );
  }
});

Deno.test("what a tracker says is shown without the token and without markup", async () => {
  await using world = await hostile();
  world.server.breakWith(() => Response.json({ message: "bad ghp_right here" }, { status: 400 }));
  await assert.rejects(
    testConnection(world.app.tools, world.connection),
    /It said: bad \[secret\] here/,
  );
  world.server.breakWith(() => new Response("<script>alert(1)</script>", { status: 400 }));
  await assert.rejects(testConnection(world.app.tools, world.connection), /responded with 400\.$/);
});

Deno.test("a token is not sent to another server than the one it was entered for", async () => {
  await using world = await hostile();
  const { app, connection, input } = world;
  const elsewhere = { ...input, name: "GitHub", url: "http://127.0.0.1:1", token: "" };
  await assert.rejects(
    changeConnection(app.tools, connection, elsewhere, ""),
    /Enter the token again/,
  );
  const same = await changeConnection(
    app.tools,
    connection,
    { ...input, name: "Same", token: "" },
    "",
  );
  assert.equal(same?.connection.name, "Same");
});

Deno.test("addresses of private networks are refused where the operator has not allowed them", async () => {
  await using app = await shop();
  for (
    const url of [
      "http://127.0.0.1:3000",
      "http://169.254.169.254",
      "http://[::1]",
      "http://localhost",
    ]
  ) {
    const input = { name: "Inside", url, project: "acme/shop" };
    await assert.rejects(
      addConnection(app.services, app.projectId, "github", input, ""),
      /private or reserved network/,
      url,
    );
  }
});
