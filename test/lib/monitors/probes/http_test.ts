import assert from "node:assert/strict";
import fc from "fast-check";
import { gzipSync } from "node:zlib";
import type { IncomingHttpHeaders } from "node:http";
import { httpServer, look, tcpServer } from "../../../support/probe_targets.ts";
import { timeBudget } from "@/test/support/time_budget.ts";

const kindOf = async (looking: ReturnType<typeof look>) => (await looking).problem?.kind;
const at = (port: number, path = "/") => `http://127.0.0.1:${port}${path}`;

Deno.test("probe() tells status, phases and address of a site that answers as expected", async () => {
  await using server = await httpServer((_request, response) => {
    response.setHeader("x-id", "7");
    response.end("all is well");
  });
  const seen = await look({ kind: "http", url: `http://site.test:${server.port}/` });
  const { state, problem, status, address, redirects, certificate } = seen;
  assert.deepEqual({ state, problem, status, address, redirects, certificate }, {
    state: "up",
    problem: null,
    status: 200,
    address: "127.0.0.1",
    redirects: [],
    certificate: null,
  });
  const { dns, connect, tls, firstByte, download } = seen.phases;
  for (const phase of [dns, connect, firstByte, download]) assert.ok(phase !== null && phase >= 0);
  assert.equal(tls, null);
  assert.ok(seen.durationMs >= (connect ?? 0) + (firstByte ?? 0));
});

Deno.test("probe() shows neither headers nor text of a target that is not public", async () => {
  await using server = await httpServer((_request, response) => {
    response.setHeader("x-id", "7");
    response.end('{"secret":"s3"}');
  });
  const url = at(server.port);
  const json = { path: "secret", comparison: "=", value: "other" };
  const { headers, body, problem } = await look({ kind: "http", url, json });
  assert.deepEqual([headers, body, problem?.kind], [{}, "", "json"]);
  assert.doesNotMatch(problem?.sentence ?? "", /s3/);
});

Deno.test("probe() sends method, headers, body, login and trace, each time by a new connection", async () => {
  const received: { headers: IncomingHttpHeaders; method?: string; text: string }[] = [];
  await using server = await httpServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += chunk;
    received.push({ headers: request.headers, method: request.method ?? "", text });
    response.writeHead(204).end();
  });
  const input = {
    kind: "http",
    url: at(server.port, "/hook?a=b"),
    method: "POST",
    headers: [["X-Key", "abc"]],
    body: "größer",
    basicAuth: { user: "ann", password: "pä" },
  };
  const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  assert.equal((await look(input, { traceparent })).state, "up");
  await look(input);
  const [first] = received;
  assert.equal(first?.method, "POST");
  assert.equal(first?.text, "größer");
  assert.equal(first?.headers["x-key"], "abc");
  assert.equal(first?.headers.traceparent, traceparent);
  assert.equal(first?.headers.host, `127.0.0.1:${server.port}`);
  assert.equal(first?.headers.authorization, `Basic ${btoa("ann:p\u00c3\u00a4")}`);
  assert.equal(server.connections, 2);
});

Deno.test("probe() compares the status with the list that is expected", async () => {
  await using server = await httpServer((_request, response) => response.writeHead(503).end());
  const url = at(server.port);
  const seen = await look({ kind: "http", url });
  assert.deepEqual(seen.problem, {
    kind: "status",
    sentence: "The response has status 503; expected is 200-299.",
  });
  assert.equal((await look({ kind: "http", url, expectedStatus: "200, 500-503" })).state, "up");
});

Deno.test("probe() looks for a keyword that must, or must not, be there", async () => {
  await using server = await httpServer((_request, response) => response.end("error: no disk"));
  const url = at(server.port);
  const found = (text: string, isAbsent: boolean) =>
    kindOf(look({ kind: "http", url, keyword: { text, isAbsent } }));
  assert.equal(await found("no disk", false), undefined);
  assert.equal(await found("welcome", false), "keyword");
  assert.equal(await found("error:", true), "keyword");
  assert.equal(await found("welcome", true), undefined);
});

Deno.test("probe() compares what stands at a path of a JSON answer", async () => {
  let text = '{"status":"ok","queue":{"items":[{"size":12}]},"a b":null}';
  await using server = await httpServer((_request, response) => response.end(text));
  const url = at(server.port);
  const kind = (path: string, comparison: string, value = "") =>
    kindOf(look({ kind: "http", url, json: { path, comparison, value } }));
  assert.equal(await kind("status", "=", "ok"), undefined);
  assert.equal(await kind("$.status", "!=", "ok"), "json");
  assert.equal(await kind("queue.items[0].size", ">", "11"), undefined);
  assert.equal(await kind("queue.items[0].size", "<", "12"), "json");
  assert.equal(await kind('$["a b"]', "exists"), undefined);
  assert.equal(await kind("queue.items[1]", "exists"), "json");
  assert.equal(await kind("constructor", "exists"), "json");
  text = "<html>";
  assert.equal(await kind("status", "=", "ok"), "json");
});

Deno.test("probe() calls a site degraded that answers well and takes too long", async () => {
  await using server = await httpServer((_request, response) => {
    setTimeout(() => response.end("late"), 60);
  });
  const { state, problem } = await look({ kind: "http", url: at(server.port), slowMs: 20 });
  assert.deepEqual([state, problem?.kind], ["degraded", "slow"]);
});

Deno.test("probe() follows as many redirects as allowed and lists them", async () => {
  await using server = await httpServer((request, response) => {
    const step = Number(request.url?.slice(1));
    if (step === 3) return void response.end("there");
    response.writeHead(302, { location: `/${step + 1}` }).end();
  });
  const input = { kind: "http", url: at(server.port, "/0") };
  const seen = await look(input);
  assert.deepEqual([seen.state, seen.status], ["up", 200]);
  assert.equal(await kindOf(look({ ...input, maxRedirects: 2 })), "redirect");
  assert.equal(await kindOf(look({ ...input, maxRedirects: 0 })), "status");
  assert.equal((await look({ ...input, maxRedirects: 0, expectedStatus: "302" })).state, "up");
  assert.equal((await look({ ...input, expectedStatus: "302" })).status, 302);
});

Deno.test("probe() ends a circle of redirects after the allowed number", async () => {
  await using server = await httpServer((_request, response) => {
    response.writeHead(301, { location: "/again" }).end();
  });
  assert.equal(await kindOf(look({ kind: "http", url: at(server.port) })), "redirect");
  assert.equal(server.connections, 6);
});

Deno.test("probe() gives what was entered to no other origin", async () => {
  const received: IncomingHttpHeaders[] = [];
  await using other = await httpServer((request, response) => {
    received.push(request.headers);
    response.end();
  });
  await using server = await httpServer((_request, response) => {
    response.writeHead(307, { location: at(other.port) }).end();
  });
  const headers = [["Cookie", "a=b"], ["X-Api-Key", "k"], ["Accept", "text/html"]];
  const basicAuth = { user: "ann", password: "secret" };
  await look({ kind: "http", url: at(server.port), headers, basicAuth });
  const [{ cookie, authorization, accept, "x-api-key": key } = {}] = received;
  assert.deepEqual([cookie, authorization, key, accept], [
    undefined,
    undefined,
    undefined,
    "text/html",
  ]);
});

Deno.test("probe() does not follow redirects to other protocols", async () => {
  await using server = await httpServer((_request, response) => {
    response.writeHead(302, { location: "file:///etc/passwd" }).end();
  });
  assert.equal(await kindOf(look({ kind: "http", url: at(server.port) })), "redirect");
});

Deno.test("probe() unpacks no more of a gzip bomb than it reads at all", async () => {
  const bomb = gzipSync(new Uint8Array(200 * 1024 * 1024));
  await using server = await httpServer((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
  });
  const keyword = { text: "never", isAbsent: false };
  const { problem } = await look({ kind: "http", url: at(server.port), keyword });
  assert.equal(problem?.kind, "keyword");
  assert.match(problem?.sentence ?? "", /first 1 MiB/);
});

Deno.test("probe() reads a packed answer that nobody asked for", async () => {
  await using server = await httpServer((_request, response) => {
    response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync("welcome"));
  });
  const keyword = { text: "welcome" };
  assert.equal((await look({ kind: "http", url: at(server.port), keyword })).state, "up");
});

Deno.test("probe() stops reading an endless answer", async () => {
  await using server = await httpServer((_request, response) => {
    const piece = "x".repeat(65_536);
    const go = () => {
      while (!response.destroyed && response.write(piece));
    };
    response.on("drain", go);
    go();
  });
  const { state, status } = await look({ kind: "http", url: at(server.port) });
  assert.deepEqual([state, status], ["up", 200]);
});

Deno.test("probe() ends at endless headers", async () => {
  await using server = await tcpServer((socket) => {
    socket.write("HTTP/1.1 200 OK\r\n");
    const go = () => {
      while (!socket.destroyed && socket.write(`x-a: ${"y".repeat(1_000)}\r\n`));
    };
    socket.on("drain", go);
    go();
  });
  const { problem } = await look({ kind: "http", url: at(server.port), timeoutMs: 5_000 });
  assert.equal(problem?.kind, "broken");
});

Deno.test("probe() ends at its time limit when an answer hangs, drips or never ends", async () => {
  await using hanging = await tcpServer(() => {});
  const slow = { kind: "http", timeoutMs: 1_000 };
  const hung = await look({ ...slow, url: at(hanging.port) });
  assert.deepEqual(hung.problem, { kind: "timeout", sentence: "Within 1 s no response came." });
  assert.ok(hung.durationMs < timeBudget(1_500), `${hung.durationMs}`);

  const begun = "HTTP/1.1 200 OK\r\nx-a: ";
  await using dripping = await tcpServer((socket) => {
    let place = 0;
    const timer = setInterval(() => socket.write(begun[place++] ?? "y"), 20);
    socket.on("close", () => clearInterval(timer));
  });
  const dripped = await look({ ...slow, url: at(dripping.port) });
  assert.equal(dripped.problem?.kind, "timeout");

  await using unfinished = await httpServer((_request, response) => void response.write("begun"));
  const { problem, status } = await look({ ...slow, url: at(unfinished.port) });
  assert.deepEqual([problem?.kind, status], ["timeout", 200]);
});

Deno.test("probe() takes an answer that came before the question for what it is", async () => {
  await using early = await tcpServer((socket) => {
    socket.end("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi");
  });
  const { state, problem } = await look({ kind: "http", url: at(early.port), timeoutMs: 2_000 });
  assert.ok(state === "up" || problem?.kind === "broken", `${state} ${problem?.sentence}`);
});

Deno.test("probe() calls broken what is no HTTP, or ends too early", async () => {
  await using ssh = await tcpServer((socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n"));
  assert.equal(await kindOf(look({ kind: "http", url: at(ssh.port) })), "broken");
  await using mute = await tcpServer((socket) => void socket.on("data", () => socket.end()));
  assert.equal(await kindOf(look({ kind: "http", url: at(mute.port) })), "broken");
  await using cut = await tcpServer((socket) => {
    socket.on("data", () => socket.end("HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nhi"));
  });
  assert.equal(await kindOf(look({ kind: "http", url: at(cut.port) })), "broken");
});

Deno.test("probe() says that nobody listens", async () => {
  const server = await tcpServer(() => {});
  await server[Symbol.asyncDispose]();
  const { problem } = await look({ kind: "http", url: at(server.port) });
  assert.deepEqual(problem, {
    kind: "connection",
    sentence: "The host refuses the connection: nothing listens there.",
  });
});

Deno.test("probe() ends as stopped when it is told to", async () => {
  await using hanging = await tcpServer(() => {});
  const stopping = new AbortController();
  const looking = look({ kind: "http", url: at(hanging.port) }, { signal: stopping.signal });
  stopping.abort();
  assert.equal(await kindOf(looking), "stopped");
});

Deno.test("probe() has a result for whatever bytes come back", async () => {
  const whole = new TextEncoder().encode(
    "HTTP/1.1 301 Moved\r\nlocation: /x\r\ncontent-type: text/html; charset=x\r\n" +
      "content-encoding: gzip\r\ntransfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
  );
  let bytes = whole;
  await using server = await tcpServer((socket) => {
    socket.on("data", () => socket.end(bytes));
  });
  await fc.assert(
    fc.asyncProperty(
      fc.nat(whole.length),
      fc.array(fc.tuple(fc.nat(whole.length - 1), fc.nat(255)), { maxLength: 4 }),
      async (length, changes) => {
        const next = whole.slice();
        for (const [place, byte] of changes) next[place] = byte;
        bytes = next.slice(0, length);
        const input = { kind: "http", url: at(server.port), timeoutMs: 1_000, maxRedirects: 1 };
        const { state, problem } = await look(input);
        assert.equal(state === "up", problem === null);
        assert.notEqual(problem?.kind, "stopped", problem?.sentence);
      },
    ),
    { numRuns: 300 },
  );
});

Deno.test("probe() waits for no end of provisional answers", async () => {
  await using server = await tcpServer((socket) => {
    const go = () => {
      while (!socket.destroyed && socket.write("HTTP/1.1 100 Continue\r\n\r\n".repeat(100)));
    };
    socket.on("drain", go);
    socket.once("data", go);
  });
  const { state, durationMs } = await look({
    kind: "http",
    url: at(server.port),
    timeoutMs: 1_000,
  });
  assert.equal(state, "down");
  assert.ok(durationMs < timeBudget(2_000), `${durationMs}`);
});
