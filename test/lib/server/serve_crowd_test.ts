import assert from "node:assert/strict";
import { createLogger } from "@/lib/core/log.ts";
import { type CrowdServer, serveCrowd } from "@/lib/server/crowd.ts";
import { waitFor } from "../../support/wait_for.ts";

type Handler = Parameters<typeof serveCrowd>[1];

interface Site extends AsyncDisposable {
  readonly server: CrowdServer;
  readonly lines: string[];
  connect(): Promise<Client>;
}

interface Client extends Disposable {
  send(text: string): Promise<void>;
  /** What comes next; "" when the server has closed the connection. */
  receive(): Promise<string>;
}

const GET = "GET / HTTP/1.1\r\nhost: x\r\n\r\n";
const POST = "POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 4\r\n\r\n";

function site(handler: Handler, total: number, perAddress = total): Site {
  const lines: string[] = [];
  const log = createLogger("text", (line) => lines.push(line));
  const options = { hostname: "127.0.0.1", port: 0 };
  const server = serveCrowd(options, handler, { total, perAddress }, log);
  const { port } = server.addr;
  return {
    server,
    lines,
    connect: async () => client(await Deno.connect({ hostname: "127.0.0.1", port })),
    [Symbol.asyncDispose]: () => server.shutdown(),
  };
}

function client(connection: Deno.Conn): Client {
  const buffer = new Uint8Array(10_000);
  return {
    send: async (text) => void await connection.write(new TextEncoder().encode(text)),
    async receive() {
      const length = await connection.read(buffer).catch(() => null);
      return new TextDecoder().decode(buffer.subarray(0, length ?? 0));
    },
    [Symbol.dispose]: () => connection.close(),
  };
}

const hello: Handler = (_request, { remoteAddr }) =>
  new Response("hostname" in remoteAddr ? `hello ${remoteAddr.hostname}` : "");

/** Answers nobody until it is released. */
function held() {
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  let requests = 0;
  const handler: Handler = async (request, info) => {
    requests++;
    await released;
    return hello(request, info);
  };
  const asked = (count: number) => waitFor(`${count} requests`, () => requests >= count || null);
  return { handler, asked, release };
}

Deno.test("three times as many silent connections as there may be leave room for those that ask", async () => {
  await using each = site(hello, 5);
  using silent = new DisposableStack();
  for (let index = 0; index < 15; index++) silent.use(await each.connect());
  using asking = await each.connect();
  await asking.send(GET);
  assert.match(await asking.receive(), /^HTTP\/1\.1 200 OK\r\n[^]*hello 127\.0\.0\.1$/);
  await asking.send(GET);
  assert.match(await asking.receive(), /^HTTP\/1\.1 200 OK/, "the connection is kept");
});

Deno.test("while all connections are busy others wait, and are served when one ends", async () => {
  const { handler, asked, release } = held();
  await using each = site(handler, 2);
  using first = await each.connect();
  await first.send(GET);
  using second = await each.connect();
  await second.send(GET);
  // Until it has asked, a connection makes room for the next one.
  await asked(2);
  using third = await each.connect();
  await third.send(GET);
  await waitFor("the pause", () => each.lines.some((line) => /all.*busy/.test(line)) || null);
  release();
  for (const one of [first, second, third]) assert.match(await one.receive(), /200 OK/);
});

Deno.test("an address whose connections are all busy is refused another one", async () => {
  const { handler, asked, release } = held();
  await using each = site(handler, 4, 1);
  using first = await each.connect();
  await first.send(GET);
  await asked(1);
  using probe = await each.connect();
  assert.equal(await probe.receive(), "");
  release();
  assert.match(await first.receive(), /200 OK/);
});

Deno.test("a shutdown finishes the upload that is under way and closes who has not asked for anything", async () => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const each = site(async (request) => {
    const reading = request.text();
    begin();
    return new Response(`got ${await reading}`);
  }, 5);
  using silent = await each.connect();
  using uploading = await each.connect();
  await uploading.send(`${POST}ab`);
  await begun;
  const down = each.server.shutdown();
  assert.equal(await silent.receive(), "");
  await uploading.send("cd");
  assert.match(await uploading.receive(), /^HTTP\/1\.1 200 OK\r\n[^]*got abcd$/);
  assert.equal(await uploading.receive(), "");
  await down;
});

Deno.test("answers are compressed for those who say that they can read that", async () => {
  const text = "words ".repeat(500);
  await using each = site(
    () => new Response(text, { headers: { "content-type": "text/html" } }),
    5,
  );
  const response = await fetch(`http://127.0.0.1:${each.server.addr.port}/`, {
    headers: { "accept-encoding": "gzip", connection: "close" },
  });
  assert.match(response.headers.get("vary") ?? "", /accept-encoding/i);
  assert.equal(await response.text(), text);
});

Deno.test("a shutdown that is asked for twice is one, and who asks late waits for the same end", async () => {
  const { handler, asked, release } = held();
  const each = site(handler, 5);
  using asking = await each.connect();
  await asking.send(GET);
  await asked(1);
  const both = Promise.all([each.server.shutdown(), each.server.shutdown()]);
  release();
  await both;
});
