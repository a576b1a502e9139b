import assert from "node:assert/strict";
import fc from "fast-check";
import { readFlash, redirectWithFlash } from "@/lib/ui/cookies.ts";

function follow(response: Response): Request {
  const [cookie = ""] = (response.headers.get("set-cookie") ?? "").split(";");
  return new Request("http://localhost/", { headers: { cookie: `theme=dark; ${cookie}` } });
}

Deno.test("redirectWithFlash() sends a 303 whose cookie only the target page sees", () => {
  const response = redirectWithFlash("/projects/7/settings?tab=keys#k", "Saved.");
  assert.equal(response.status, 303);
  assert.equal(response.headers.get("location"), "/projects/7/settings?tab=keys#k");
  assert.match(
    response.headers.get("set-cookie") ?? "",
    /; Path=\/projects\/7\/settings; Max-Age=10;/,
  );
});

Deno.test("readFlash() returns what redirectWithFlash() was told, whatever characters it has", () => {
  fc.assert(fc.property(fc.string({ minLength: 1, maxLength: 150, unit: "binary" }), (text) => {
    const flash = readFlash(follow(redirectWithFlash("/projects", text, "warning")));
    assert.deepEqual(flash, { kind: "warning", text: text.toWellFormed() });
  }));
});

Deno.test("readFlash() ignores cookies that it did not write", () => {
  const read = (cookie: string) =>
    readFlash(new Request("http://localhost/", { headers: { cookie } }));
  assert.equal(read(""), null);
  assert.equal(read("flash=%E0%A4%A"), null);
  assert.equal(read("flash=hello"), null);
  assert.equal(read("flash=script:hello"), null);
});
