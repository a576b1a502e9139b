import assert from "node:assert/strict";
import { failure, shop } from "../../support/shop.ts";
import { textOf } from "../../support/ui_app.ts";

const COMMIT = "c0ffee".padEnd(40, "0");
const FIELDS = {
  action: "create",
  host: "github",
  address: "https://github.com/acme/shop/",
  stackRoot: "",
  sourceRoot: "web",
  defaultBranch: "main",
};

Deno.test("a frame of the app links to its line in the repository, at the release's commit", async () => {
  await using app = await shop();
  const path = `/projects/${app.projectId}/settings/code`;
  assert.match(textOf((await app.owner.get(path)).html), /No mappings/);
  const made = await app.owner.post(path, FIELDS);
  assert.equal(made.location, path, textOf(made.html));
  await app.store(failure("Cannot read price", { release: `shop@${COMMIT}` }));
  const [issue] = await app.services.sql`select id::text as id from issues`;
  const { html } = await app.owner.get(`${app.path}/${issue?.id}`);
  assert.ok(html.includes(`href="https://github.com/acme/shop/blob/${COMMIT}/web/cart.js#L1"`));
  assert.match(textOf(html), /acme\/shop\/web\/cart\.js/);
});

Deno.test("a mapping is changed and removed, and wrong input is said beside the field", async () => {
  await using app = await shop();
  const path = `/projects/${app.projectId}/settings/code`;
  await app.owner.post(path, FIELDS);
  const id = new RegExp(`${path}/(\\d+)`).exec((await app.owner.get(path)).html)?.[1] ?? "";
  for (
    const [wrong, words] of [
      [{ address: "javascript:alert(1)" }, /starts with https:\/\//],
      [{ address: "https://github.com/" }, /page of a repository/],
      [
        { host: "custom", address: "https://{path}.example.com", repository: "a" },
        /starts with|behind the host/,
      ],
      [{ host: "custom", address: "https://code.example.com/" }, /must have \{path\}/],
      [{ host: "fax" }, /Choose where/],
      [{ stackRoot: "../x" }, /no \.\. in it/],
      [{ defaultBranch: "../main" }, /name of a branch/],
      [{ defaultBranch: "" }, /name of a branch/],
    ] as const
  ) {
    const refused = await app.owner.post(path, { ...FIELDS, stackRoot: "x", ...wrong });
    assert.equal(refused.status, 422, JSON.stringify(wrong));
    assert.match(textOf(refused.html), words);
  }
  const again = await app.owner.post(path, FIELDS);
  assert.match(textOf(again.html), /mapping of these roots already/);

  const saved = await app.owner.post(`${path}/${id}`, {
    ...FIELDS,
    action: "update",
    stackRoot: "/srv",
  });
  assert.equal(saved.location, path, textOf(saved.html));
  assert.match((await app.owner.get(`${path}/${id}`)).html, /value="\/srv"/);
  assert.equal((await app.owner.post(`${path}/${id}`, { action: "delete" })).location, path);
  assert.equal((await app.owner.get(`${path}/${id}`)).status, 404);
});

Deno.test("who may only look cannot add a mapping", async () => {
  await using app = await shop();
  const path = `/projects/${app.projectId}/settings/code`;
  const { visitor } = await app.member("viewer");
  assert.doesNotMatch((await visitor.get(path)).html, /Add mapping/);
  assert.equal((await visitor.post(path, FIELDS)).status, 403);
});
