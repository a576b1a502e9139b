import assert from "node:assert/strict";
import { readConfig } from "@/lib/core/config.ts";
import { clearedSessionCookie, readSessionToken, sessionCookie } from "@/lib/server/session.ts";

const plain = readConfig({});
const secure = readConfig({ SERVICE_BASE_URL: "https://watch.example.test" });

function asking(cookie: string): Request {
  return new Request("http://localhost/", { headers: { cookie } });
}

Deno.test("the session cookie is out of reach of scripts and other sites, and Secure on https", () => {
  assert.match(sessionCookie("t0", plain), /^watchpost=t0; .*Path=\/; HttpOnly; SameSite=Lax$/);
  assert.match(sessionCookie("t0", secure), /^__Host-watchpost=t0; .*SameSite=Lax; Secure$/);
});

Deno.test("the session token is read back among other cookies", () => {
  assert.equal(readSessionToken(asking("a=1; watchpost=t0; b=2"), plain), "t0");
  assert.equal(readSessionToken(asking("a=1; notwatchpost=t0"), plain), null);
  assert.equal(readSessionToken(new Request("http://localhost/"), plain), null);
});

Deno.test("a cookie without the __Host- prefix is not believed on https", () => {
  assert.equal(readSessionToken(asking("watchpost=planted"), secure), null);
});

Deno.test("a cleared session cookie expires at once", () => {
  assert.match(clearedSessionCookie(plain), /^watchpost=; Max-Age=0;/);
});
