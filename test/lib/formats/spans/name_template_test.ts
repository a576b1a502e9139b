import assert from "node:assert/strict";
import fc from "fast-check";
import { templateName } from "@/lib/formats/spans/templates.ts";
import { inTime } from "@/test/support/time_budget.ts";

Deno.test("ids, hashes, numbers, times and addresses in names become placeholders", () => {
  for (
    const [name, template] of [
      ["import order 4711", "import order {id}"],
      ["Step 2 of 3", "Step {id} of {id}"],
      ["order-4711", "order-{id}"],
      ["orders:process:42", "orders:process:{id}"],
      ["user_3f2a1b9c sync", "user_{hex} sync"],
      ["job 550e8400-e29b-41d4-a716-446655440000", "job {uuid}"],
      ["report 2026-11-21", "report {date}"],
      ["report 2026-11-21T03:15:00.123Z done", "report {date} done"],
      ["mail to ann@example.com", "mail to {email}"],
      ["job 01ARZ3NDEKTSV4RRFFQ69G5FAV", "job {id}"],
      ["load(17)", "load({id})"],
      ["GET /users/17/orders", "GET /users/{id}/orders"],
    ] as const
  ) assert.equal(templateName(name), template);
});

Deno.test("names of functions, versions, encodings and routes stay", () => {
  for (
    const name of [
      "nightly report",
      "App\\Http\\Controllers\\UserController@show",
      "UserController@show",
      "com.example.Base64Decoder.decode",
      "ProcessBase64EncodedImageV2",
      "utf-8 to latin-1",
      "sha256",
      "release v1.24.3",
      "GET /users/:id",
      "/users/{id}/<int:n>",
      "grpc.health.v1.Health/Check",
      "s3.PutObject",
    ]
  ) assert.equal(templateName(name), name);
});

Deno.test("names are folded once and for all, and soon, whatever they are", () => {
  const part = fc.constantFrom(
    "17",
    "-",
    "_",
    " ",
    "a@b.cd",
    "3f2a1b9c",
    "x",
    "2026-11-21",
    ":",
    "T",
  );
  fc.assert(fc.property(fc.array(part, { maxLength: 12 }), (parts) => {
    const once = templateName(parts.join(""));
    assert.equal(templateName(once), once);
  }));
  for (const text of ["1", "a@", "1-", "@.", "-_", "2026-11-21T", "A1", "f0 "]) {
    inTime(100, () => templateName(text.repeat(1_000)), text);
  }
});
