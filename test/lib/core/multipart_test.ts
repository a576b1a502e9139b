import assert from "node:assert/strict";
import { formIn } from "@/lib/core/multipart.ts";

const field = 'Content-Disposition: form-data; name="a"\r\n\r\n1\r\n';
const bytesOf = (fields: number) =>
  new TextEncoder().encode(`--b\r\n${field}`.repeat(fields) + "--b--\r\n");

Deno.test("formIn() reads as many fields as are allowed, and makes nothing of one more", async () => {
  const type = "multipart/form-data; boundary=b";
  const form = await formIn(bytesOf(3), type, 3);
  assert.ok(form instanceof FormData);
  assert.deepEqual(form.getAll("a"), ["1", "1", "1"]);
  assert.equal(await formIn(bytesOf(4), type, 3), "too many fields");
  assert.equal(await formIn(bytesOf(1_000_000), type, 3), "too many fields");
});

Deno.test("formIn() counts by the boundary that it reads by, whichever others the header has", async () => {
  for (const type of ["boundary=b; boundary=c", 'boundary="b"; boundary=c', "boundary=b;x=y"]) {
    const header = `multipart/form-data; ${type}`;
    assert.equal(await formIn(bytesOf(4), header, 3), "too many fields", type);
    assert.ok(await formIn(bytesOf(3), header, 3) instanceof FormData, type);
  }
});

Deno.test("formIn() says what is wrong with a form, and takes nothing as an empty one", async () => {
  const type = "multipart/form-data; boundary=b";
  assert.equal(await formIn(bytesOf(1), "multipart/form-data", 3), "no boundary");
  assert.equal(await formIn(new TextEncoder().encode("x"), type, 3), "not whole");
  const empty = await formIn(new Uint8Array(), type, 3);
  assert.ok(empty instanceof FormData && [...empty].length === 0);
});
