import assert from "node:assert/strict";
import fc from "fast-check";
import { curlOf } from "@/lib/errors/event/detail_panels.tsx";
import { type HttpRequest, requestOf } from "@/lib/errors/event/interfaces.ts";

const BARE: HttpRequest = {
  method: "",
  url: "https://shop.example/cart",
  query: [],
  headers: [],
  cookies: [],
  environment: [],
  body: "",
};

Deno.test("requestOf() puts URL, query and fragment together and reads query strings of any form", () => {
  const url = (query_string: unknown) =>
    requestOf({ request: { url: "https://a.example/x", query_string, fragment: "top" } })?.url;
  assert.equal(url([["q", "a b"], ["q", "c"]]), "https://a.example/x?q=a+b&q=c#top");
  assert.equal(url("?q=1"), "https://a.example/x?q=1#top");
  assert.equal(url({ q: 1 }), "https://a.example/x?q=1#top");
  assert.equal(url(null), "https://a.example/x#top");
});

Deno.test("requestOf() shows a structured body as JSON and a text body as it is", () => {
  const body = (data: unknown) => requestOf({ request: { method: "POST", data } })?.body;
  assert.equal(body({ a: 1 }), '{ "a": 1 }');
  assert.equal(body("a=1"), "a=1");
  assert.equal(body(null), "");
});

Deno.test("requestOf() is null when there is nothing to show", () => {
  for (const request of [undefined, null, "x", [], {}, { url: null }]) {
    assert.equal(requestOf({ request }), null);
  }
});

Deno.test("curlOf() names the method only where the body does not imply it", () => {
  assert.equal(
    curlOf({ ...BARE, method: "GET" }),
    "curl --globoff --url 'https://shop.example/cart'",
  );
  assert.match(curlOf({ ...BARE, method: "DELETE" }) ?? "", /--request DELETE/);
  const post = curlOf({ ...BARE, method: "post", body: "a=1" }) ?? "";
  assert.match(post, /--data-raw 'a=1'/);
  assert.doesNotMatch(post, /--request/);
});

Deno.test("curlOf() leaves out scrubbed secrets, curl's own headers and names that are none", () => {
  const text = curlOf({
    ...BARE,
    headers: [
      ["Accept", "text/html"],
      ["Authorization", "[Filtered]"],
      ["Content-Length", "3"],
      ["@/etc/passwd", "x"],
    ],
    cookies: [["session", "[Filtered]"], ["theme", "dark"]],
  });
  assert.equal(
    text,
    "curl --globoff --url 'https://shop.example/cart' \\\n" +
      "  --header 'Accept: text/html' \\\n" +
      "  --header 'Cookie: theme=dark'",
  );
});

Deno.test("curlOf() refuses what is not an http address", () => {
  assert.equal(curlOf({ ...BARE, url: "javascript:alert(1)" }), null);
  assert.equal(curlOf({ ...BARE, url: "--output /etc/passwd" }), null);
  assert.equal(curlOf({ ...BARE, url: "/cart" }), null);
});

Deno.test("whatever a request holds, a shell reads the curl command as the arguments meant", async () => {
  const nasty = ["'; touch pwned; '", "$(id)", "`id`", "\\", "a\nb", "!!", '"', "@file", "é😀"];
  const text = fc.oneof(fc.constantFrom(...nasty), fc.string({ maxLength: 30 }))
    .map((value) => value.replaceAll("\0", ""));
  await fc.assert(
    fc.asyncProperty(text, text, async (tail, body) => {
      const command = curlOf({ ...BARE, url: `https://a.example/${tail}`, body }) ?? "";
      const shell = new Deno.Command("sh", {
        args: ["-c", `${command.replace("curl", `printf '%s\\0'`)}`],
      });
      const { stdout, stderr } = await shell.output();
      assert.equal(new TextDecoder().decode(stderr), "");
      const args = new TextDecoder().decode(stdout).split("\0").slice(0, -1);
      assert.deepEqual(args, [
        "--globoff",
        "--url",
        `https://a.example/${tail}`,
        ...(body === "" ? [] : ["--data-raw", body]),
      ]);
    }),
    { numRuns: 60 },
  );
});
