import assert from "node:assert/strict";
import { openS3 } from "@/lib/store/objects/s3.ts";
import { S3Signer } from "@/lib/store/objects/s3_direct.ts";

const KEYS = {
  region: "us-east-1",
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
};
const NOW = new Date("2013-05-24T00:00:00Z");

function signatureOf(headers: Record<string, string>): string | undefined {
  return headers.authorization?.split("Signature=")[1];
}

// The examples of "Signature Calculations for the Authorization Header" in the reference of S3's API.
Deno.test("a request that reads is signed as S3's reference has it", () => {
  const headers = new S3Signer(KEYS).headersOf({
    method: "GET",
    url: new URL("https://examplebucket.s3.amazonaws.com/test.txt"),
    headers: { range: "bytes=0-9" },
  }, NOW);
  assert.equal(
    signatureOf(headers),
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  );
});

Deno.test("a request that writes is signed as S3's reference has it", () => {
  const headers = new S3Signer(KEYS).headersOf({
    method: "PUT",
    url: new URL("https://examplebucket.s3.amazonaws.com/test%24file.text"),
    body: new TextEncoder().encode("Welcome to Amazon S3."),
    headers: {
      date: "Fri, 24 May 2013 00:00:00 GMT",
      "x-amz-storage-class": "REDUCED_REDUNDANCY",
    },
  }, NOW);
  assert.equal(
    signatureOf(headers),
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  );
});

/** An S3 that says what it is told to. */
function fakeS3(answer: (asked: { isSdk: boolean; method: string; path: string }) => Response) {
  const asked: string[] = [];
  const server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen() {} }, async (req) => {
    await req.bytes();
    const isSdk = (req.headers.get("user-agent") ?? "").includes("aws-sdk");
    const path = new URL(req.url).pathname;
    asked.push(`${isSdk ? "SDK" : "direct"} ${req.method} ${path}`);
    return answer({ isSdk, method: req.method, path });
  });
  const endpoint = `http://127.0.0.1:${server.addr.port}`;
  const objects = openS3({ ...KEYS, endpoint, bucket: "shop" });
  return {
    objects,
    asked,
    async [Symbol.asyncDispose]() {
      objects.close();
      await server.shutdown();
    },
  };
}

function missing(code: string): Response {
  return new Response(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`, {
    status: 404,
    headers: { "content-type": "application/xml" },
  });
}

Deno.test("what goes well is one request without the SDK", async () => {
  await using s3 = fakeS3(({ method, path }) =>
    method === "PUT"
      ? new Response()
      : path === "/shop/a/b"
      ? new Response("x")
      : missing("NoSuchKey")
  );
  await s3.objects.put("a/b", new TextEncoder().encode("x"));

  assert.deepEqual(await s3.objects.get("a/b"), new TextEncoder().encode("x"));
  assert.equal(await s3.objects.get("a/c"), null);
  assert.deepEqual(s3.asked, [
    "direct PUT /shop/a/b",
    "direct GET /shop/a/b",
    "direct GET /shop/a/c",
  ]);
});

Deno.test("what fails is done by the SDK, and so is all that follows for a while", async () => {
  await using s3 = fakeS3(({ isSdk }) =>
    new Response(isSdk ? "x" : "no", { status: isSdk ? 200 : 503 })
  );

  assert.deepEqual(await s3.objects.get("a/b"), new TextEncoder().encode("x"));
  await s3.objects.put("a/b", new Uint8Array(3));
  assert.deepEqual(s3.asked, ["direct GET /shop/a/b", "SDK GET /shop/a/b", "SDK PUT /shop/a/b"]);
});

Deno.test("a bucket that is away is no object that is missing", async () => {
  await using s3 = fakeS3(() => missing("NoSuchBucket"));

  await assert.rejects(s3.objects.get("a/b"), { name: "NoSuchBucket" });
});

Deno.test("a refused write is an error", async () => {
  await using s3 = fakeS3(() => new Response("", { status: 403 }));

  await assert.rejects(s3.objects.put("a/b", new Uint8Array(3)));
});
