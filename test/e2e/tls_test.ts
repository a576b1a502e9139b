/** A process of two isolates that speaks TLS by itself. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { connect } from "node:tls";
import { identityFiles } from "../support/identity_files.ts";
import { adminSignIn, startServer } from "../support/server.ts";
import { hasOpenssl, testAuthority } from "../support/test_authority.ts";
import { trustingFetch } from "../support/trusting_fetch.ts";
import { waitFor } from "../support/wait_for.ts";

/** Each on a connection of its own: that all of them meet the same isolate happens once in a million times. */
const ASKED = 20;

async function nameAt(url: string, ca: string): Promise<string> {
  const { hostname: host, port } = new URL(url);
  const socket = connect({
    host,
    port: Number(port),
    ca,
    servername: "",
    checkServerIdentity: () => undefined,
  });
  await once(socket, "secureConnect");
  const { subject } = socket.getPeerCertificate();
  socket.destroy();
  return String(subject.CN);
}

Deno.test(
  "people sign in over HTTP/2 with secure cookies, and SIGHUP changes the certificate of all isolates while requests go on",
  { ignore: !hasOpenssl() },
  async () => {
    const { ca, good, chain } = await testAuthority();
    await using files = await identityFiles(good);
    const env = { TLS_CERT: files.certFile, TLS_KEY: files.keyFile, LOG_FORMAT: "json" };
    await using server = await startServer(env, undefined, 2, { ca });
    using ask = trustingFetch(ca, true);
    const signIn = async () => {
      const response = await ask(`${server.url}/sign-in`, adminSignIn(server.url));
      await response.body?.cancel();
      return response;
    };
    const signedIn = await signIn();
    assert.equal(signedIn.status, 303);
    assert.ok(signedIn.headers.getSetCookie().every((cookie) => cookie.includes("; Secure")));

    let asked = 0;
    let isOver = false;
    const asking = (async () => {
      while (!isOver) {
        const response = await ask(`${server.url}/healthz`);
        await response.body?.cancel();
        assert.equal(response.status, 200);
        asked++;
      }
    })();
    assert.equal(await nameAt(server.url, ca), "good.test");
    await files.write({ cert: good.cert, key: chain.key });
    Deno.kill(server.pid, "SIGHUP");
    const told = (text: string) => waitFor(text, () => server.output().includes(text) || null);
    await told("the TLS certificate stays as it was");
    assert.equal(await nameAt(server.url, ca), "good.test");

    await files.write(chain);
    Deno.kill(server.pid, "SIGHUP");
    await told("chain.test");
    const names = await Promise.all(Array.from({ length: ASKED }, () => nameAt(server.url, ca)));
    assert.deepEqual(new Set(names), new Set(["chain.test"]));
    const before = asked;
    await waitFor("more answers", () => asked > before + 10 || null);
    isOver = true;
    await asking;
    assert.equal((await signIn()).status, 303);
  },
);
