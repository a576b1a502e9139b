import assert from "node:assert/strict";
import {
  answering,
  http2Server,
  httpServer,
  httpsServer,
  LOCAL,
  look,
  tcpServer,
  tlsServer,
} from "../../../support/probe_targets.ts";
import { hasOpenssl, testAuthority } from "../../../support/test_authority.ts";
import { timeBudget } from "@/test/support/time_budget.ts";

const canSign = hasOpenssl();
const made = canSign ? await testAuthority() : null;

function authority(): NonNullable<typeof made> {
  if (made === null) throw new Error("There is no openssl");
  return made;
}

/** A test that needs certificates: skipped, and named, where there is no `openssl`. */
function tlsTest(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !canSign, fn });
}

tlsTest("probe() tells what a good certificate says", async () => {
  const { ca, good } = authority();
  await using server = await tlsServer(good);
  const seen = await look({ kind: "tls", host: "good.test", port: server.port }, { ca });
  assert.deepEqual([seen.state, seen.problem], ["up", null]);
  const { subject, issuer, names, daysLeft, protocol, problem, fingerprint } = seen.certificate ??
    assert.fail();
  assert.deepEqual({ subject, issuer, names, daysLeft, protocol, problem }, {
    subject: "CN=good.test",
    issuer: "CN=Test Root",
    names: ["good.test", "127.0.0.1"],
    daysLeft: 19,
    protocol: "TLSv1.3",
    problem: null,
  });
  assert.match(fingerprint, /^(?:[0-9A-F]{2}:){31}[0-9A-F]{2}$/);
  assert.ok(seen.phases.tls !== null && seen.phases.tls > 0);
});

tlsTest("probe() takes the earliest end in the chain for the certificate's", async () => {
  const { ca, chain } = authority();
  await using server = await tlsServer(chain);
  const { certificate } = await look({ kind: "tls", host: "chain.test", port: server.port }, {
    ca,
  });
  assert.deepEqual([certificate?.problem, certificate?.daysLeft], [null, 8]);
});

tlsTest("probe() says in words why nobody would trust a certificate", async () => {
  const { ca, good, missing, expired, selfSigned } = authority();
  const sentence = async (identity: typeof good, host: string, options = {}) => {
    await using server = await tlsServer(identity);
    const seen = await look({ kind: "tls", host, port: server.port }, { ca, ...options });
    assert.deepEqual([seen.state, seen.problem?.kind], ["down", "tls"]);
    assert.equal(seen.problem?.sentence, seen.certificate?.problem);
    return seen.problem?.sentence ?? "";
  };
  assert.equal(
    await sentence(good, "other.test"),
    "The certificate is for another host: good.test, 127.0.0.1, not other.test.",
  );
  assert.equal(await sentence(expired, "good.test"), "The certificate expired on 2025-02-01.");
  assert.equal(await sentence(selfSigned, "good.test"), "The certificate is self-signed.");
  const broken =
    /^The chain of certificates ends before a trusted authority: nobody vouches for CN=Test/;
  assert.match(await sentence(missing, "chain.test"), broken);
  assert.match(await sentence(good, "good.test", { ca: selfSigned.cert }), broken);
  assert.match(
    await sentence(good, "127.0.0.1", { ca: selfSigned.cert }),
    broken,
  );
});

tlsTest(
  "probe() takes a certificate for an address, and one for another name than the host's",
  async () => {
    const { ca, good } = authority();
    await using server = await tlsServer(good);
    const { port } = server;
    assert.equal((await look({ kind: "tls", host: "127.0.0.1", port }, { ca })).state, "up");
    const named = { kind: "tls", host: "db.test", port, servername: "good.test" };
    assert.equal((await look(named, { ca })).state, "up");
  },
);

tlsTest("probe() sends nothing to a host that it cannot trust, unless told to", async () => {
  const { good } = authority();
  let requests = 0;
  await using server = await httpsServer(good, (_request, response) => {
    requests++;
    response.end();
  });
  const input = { kind: "http", url: `https://good.test:${server.port}/` };
  const seen = await look(input);
  assert.deepEqual([seen.state, seen.problem?.kind, seen.certificate?.subject], [
    "down",
    "tls",
    "CN=good.test",
  ]);
  assert.equal(requests, 0);
  assert.equal((await look({ ...input, ignoresTls: true })).state, "up");
  assert.equal(requests, 1);
});

tlsTest("probe() speaks HTTP/2 where it shall and the server offers it", async () => {
  const { ca, good } = authority();
  const versions: string[] = [];
  await using server = await http2Server(good, (request, response) => {
    versions.push(request.httpVersion);
    response.statusCode = request.headers["x-key"] === "k" ? 200 : 500;
    response.end("well");
  });
  const seen = await look({
    kind: "http",
    url: `https://good.test:${server.port}/a`,
    http2: true,
    headers: [["X-Key", "k"]],
    keyword: { text: "well" },
  }, { ca });
  assert.deepEqual([seen.state, seen.status, seen.problem], ["up", 200, null]);
  assert.deepEqual(versions, ["2.0"]);
  await using older = await httpsServer(good, (_request, response) => response.end());
  const url = `https://good.test:${older.port}/`;
  assert.equal((await look({ kind: "http", url, http2: true }, { ca })).state, "up");
});

tlsTest("probe() follows no redirect from https to http unless told to", async () => {
  const { ca, good } = authority();
  await using plain = await httpServer((_request, response) => response.end());
  await using server = await httpsServer(good, (_request, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${plain.port}/` }).end();
  });
  const input = { kind: "http", url: `https://good.test:${server.port}/` };
  const { problem } = await look(input, { ca });
  assert.deepEqual([problem?.kind, plain.connections], ["redirect", 0]);
  assert.equal((await look({ ...input, allowsDowngrade: true }, { ca })).state, "up");
});

Deno.test("probe() gives a handshake that hangs, or is none, half of its time", async () => {
  await using hanging = await tcpServer(() => {});
  const hung = await look({ kind: "tls", host: "a.test", port: hanging.port, timeoutMs: 1_000 });
  assert.deepEqual(hung.problem, {
    kind: "timeout",
    sentence: "Within 0.5 s no TLS handshake was made.",
  });
  assert.ok(hung.durationMs < timeBudget(900), `${hung.durationMs}`);
  await using plain = await tcpServer((socket) => void socket.write("SSH-2.0-OpenSSH_9.2\r\n"));
  const none = await look({ kind: "tls", host: "a.test", port: plain.port });
  assert.equal(none.problem?.kind, "tls");
  await using closing = await tcpServer((socket) => socket.destroy());
  const closed = await look({ kind: "tls", host: "a.test", port: closing.port });
  assert.match(String(closed.problem?.kind), /tls|connection/);
});

Deno.test("probe() connects to a TCP service, and goes on to the host's next address", async () => {
  await using server = await tcpServer(() => {});
  const input = { kind: "tcp", host: "two.test", port: server.port };
  const policy = { ...LOCAL, allowed: [...LOCAL.allowed, { host: "127.0.0.2", port: null }] };
  const seen = await look(input, { policy, resolver: answering(["127.0.0.2", "127.0.0.1"]) });
  assert.deepEqual([seen.state, seen.address], ["up", "127.0.0.1"]);
  const six = await look({ ...input, family: "6" });
  assert.deepEqual(six.problem, { kind: "dns", sentence: "The host has no IPv6 address." });
});

tlsTest("probe() ends in time when a server of HTTP/2 is silent, or breaks off", async () => {
  const { ca, good } = authority();
  await using server = await http2Server(good, (request) => {
    if (request.url === "/break") request.stream.session?.destroy();
  });
  const input = { kind: "http", http2: true, timeoutMs: 1_000 };
  const at = (path: string) => ({ ...input, url: `https://good.test:${server.port}${path}` });
  assert.equal((await look(at("/"), { ca })).problem?.kind, "timeout");
  assert.equal((await look(at("/break"), { ca })).problem?.kind, "broken");
});
