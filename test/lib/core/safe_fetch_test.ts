import assert from "node:assert/strict";
import type { Resolver } from "@/lib/core/addresses.ts";
import {
  FetchFailure,
  type FetchProblem,
  safeFetch,
  type SafeFetchOptions,
} from "@/lib/core/safe_fetch.ts";
import { webhookReceiver } from "../../support/webhook_receiver.ts";

const ALLOWED: SafeFetchOptions = { allowsPrivate: true };
const certificate = await Deno.readTextFile(
  new URL("../../fixtures/tls/certificate.pem", import.meta.url),
);
const key = await Deno.readTextFile(new URL("../../fixtures/tls/key.pem", import.meta.url));

async function problemOf(sent: Promise<unknown>): Promise<FetchProblem> {
  try {
    await sent;
  } catch (error) {
    if (error instanceof FetchFailure) return error.problem;
    throw error;
  }
  throw new Error("There was an answer");
}

/** A name server that gives these answers, one after the other. */
function answering(...answers: (readonly string[])[]): Resolver & { asked: number } {
  const resolver = Object.assign(
    () => Promise.resolve(answers[resolver.asked++] ?? answers.at(-1) ?? []),
    { asked: 0 },
  );
  return resolver;
}

Deno.test("safeFetch() posts the body with its headers and returns what was answered", async () => {
  await using receiver = webhookReceiver();
  receiver.answerWith(() => new Response("thanks", { status: 202, headers: { "x-id": "7" } }));
  const { status, headers, text } = await safeFetch({
    url: `${receiver.origin}/hook?a=b`,
    headers: { "content-type": "application/json" },
    body: '{"text":"größer"}',
  }, ALLOWED);
  assert.deepEqual([status, headers["x-id"], text], [202, "7", "thanks"]);
  const [received] = receiver.received;
  assert.equal(received?.path, "/hook?a=b");
  assert.equal(received?.text, '{"text":"größer"}');
  assert.equal(received?.headers.get("content-type"), "application/json");
});

Deno.test("safeFetch() takes no other protocols and no credentials in the address", async () => {
  const refused = async (url: string) =>
    assert.equal(await problemOf(safeFetch({ url }, ALLOWED)), "bad_address", url);
  await refused("file:///etc/passwd");
  await refused("ftp://example.com/");
  await refused("gopher://127.0.0.1:6379/_INFO");
  await refused("https://user:secret@example.com/");
  await refused("https://user@example.com/");
  await refused("not an address");
  await refused("");
});

Deno.test("safeFetch() refuses private networks, however the address is written", async () => {
  await using receiver = webhookReceiver();
  const { port } = new URL(receiver.origin);
  const refused = async (url: string) =>
    assert.equal(
      await problemOf(safeFetch({ url }, { allowsPrivate: false })),
      "private_address",
      url,
    );
  await refused(`http://127.0.0.1:${port}/`);
  await refused(`http://localhost:${port}/`);
  await refused(`http://2130706433:${port}/`);
  await refused(`http://0x7f.1:${port}/`);
  await refused(`http://0177.0.0.1:${port}/`);
  await refused(`http://0:${port}/`);
  await refused(`http://[::1]:${port}/`);
  await refused(`http://[::ffff:7f00:1]:${port}/`);
  await refused("http://169.254.169.254/latest/meta-data/");
  await refused("http://[fd00:ec2::254]/");
  assert.equal(receiver.received.length, 0);
});

Deno.test("safeFetch() refuses a host when one of its addresses is private", async () => {
  const resolver = answering(["93.184.216.34", "10.0.0.5"]);
  const sent = safeFetch({ url: "https://mixed.example.test/" }, {
    allowsPrivate: false,
    resolver,
  });
  assert.equal(await problemOf(sent), "private_address");
});

Deno.test("safeFetch() asks for the name once and connects to the address that it judged", async () => {
  await using receiver = webhookReceiver();
  const { port } = new URL(receiver.origin);
  // The second answer is what DNS rebinding would give to whoever asks again.
  const resolver = answering(["127.0.0.1"], ["192.0.2.1"]);
  const { status } = await safeFetch({ url: `http://rebind.example.test:${port}/` }, {
    allowsPrivate: true,
    resolver,
  });
  assert.equal(status, 200);
  assert.equal(resolver.asked, 1);
  assert.equal(receiver.received[0]?.headers.get("host"), `rebind.example.test:${port}`);
});

Deno.test("safeFetch() goes on to a host's next address when the first takes no connection", async () => {
  await using receiver = webhookReceiver();
  const { port } = new URL(receiver.origin);
  const resolver = answering(["127.0.0.2", "127.0.0.1"]);
  const { status } = await safeFetch({ url: `http://two.example.test:${port}/` }, {
    allowsPrivate: true,
    resolver,
  });
  assert.equal(status, 200);
});

Deno.test("safeFetch() follows no redirect", async () => {
  await using receiver = webhookReceiver();
  receiver.answerWith(() =>
    new Response(null, { status: 307, headers: { location: "http://169.254.169.254/" } })
  );
  const { status, headers } = await safeFetch({ url: receiver.origin }, ALLOWED);
  assert.deepEqual([status, headers.location], [307, "http://169.254.169.254/"]);
  assert.equal(receiver.received.length, 1);
});

Deno.test("safeFetch() reads no more than 64 KiB of an endless answer", async () => {
  await using receiver = webhookReceiver();
  const piece = new TextEncoder().encode("x".repeat(10_000));
  receiver.answerWith(() =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(piece) }))
  );
  const { status, text } = await safeFetch({ url: receiver.origin }, ALLOWED);
  assert.deepEqual([status, text.length], [200, 64 * 1024]);
});

Deno.test("safeFetch() gives up on a receiver that answers too slowly, or never ends", async () => {
  await using receiver = webhookReceiver();
  const held = Promise.withResolvers<Response>();
  receiver.answerWith(() => held.promise);
  const slow = safeFetch({ url: receiver.origin }, { ...ALLOWED, timeoutMs: 80 });
  assert.equal(await problemOf(slow), "timeout");
  receiver.answerWith(() =>
    new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
  );
  const endless = safeFetch({ url: receiver.origin }, { ...ALLOWED, timeoutMs: 80 });
  assert.equal(await problemOf(endless), "timeout");
  held.resolve(new Response());
});

Deno.test("safeFetch() gives up on a name server that does not answer", async () => {
  const resolver: Resolver = () => new Promise(() => {});
  const sent = safeFetch({ url: "http://slow.example.test/" }, {
    ...ALLOWED,
    resolver,
    timeoutMs: 50,
  });
  assert.equal(await problemOf(sent), "timeout");
});

Deno.test("safeFetch() ends when it is told to", async () => {
  await using receiver = webhookReceiver();
  const held = Promise.withResolvers<Response>();
  const stop = new AbortController();
  receiver.answerWith(() => {
    stop.abort();
    return held.promise;
  });
  const sent = safeFetch({ url: receiver.origin }, { ...ALLOWED, signal: stop.signal });
  assert.equal(await problemOf(sent), "stopped");
  held.resolve(new Response());
});

Deno.test("safeFetch() tells a host that is not there from one that is not known", async () => {
  await using receiver = webhookReceiver();
  const { origin } = receiver;
  await receiver[Symbol.asyncDispose]();
  assert.equal(await problemOf(safeFetch({ url: origin }, ALLOWED)), "no_connection");
  const resolver: Resolver = () => Promise.reject(new Error("ENOTFOUND"));
  const unknown = safeFetch({ url: "http://none.example.test/" }, { ...ALLOWED, resolver });
  assert.equal(await problemOf(unknown), "unknown_host");
});

Deno.test("safeFetch() checks the certificate against the host's name, not its address", async () => {
  await using receiver = webhookReceiver({ cert: certificate, key });
  const { port } = new URL(receiver.origin);
  const resolver = answering(["127.0.0.1"]);
  const options = { ...ALLOWED, resolver };
  const right = `https://hooks.example.test:${port}/`;
  const { status } = await safeFetch({ url: right }, { ...options, ca: certificate });
  assert.equal(status, 200);
  const wrong = `https://other.example.test:${port}/`;
  assert.equal(await problemOf(safeFetch({ url: wrong }, { ...options, ca: certificate })), "tls");
  assert.equal(await problemOf(safeFetch({ url: right }, options)), "tls");
});
