import assert from "node:assert/strict";
import { CODE_HOSTS, commitInName, sourceLink } from "@/lib/errors/code/source_link.ts";

const COMMIT = "c0ffee".padEnd(40, "0");

function rule(fields: Partial<Parameters<typeof sourceLink>[1][number]> = {}) {
  return {
    repository: "acme/shop",
    urlTemplate: `https://github.com/acme/shop${CODE_HOSTS.github.template}`,
    stackRoot: "",
    sourceRoot: "",
    defaultBranch: "main",
    ...fields,
  };
}

function link(
  file: string,
  fields: Parameters<typeof rule>[0] = {},
  { path = "", line = 7, commit = COMMIT }: {
    path?: string;
    line?: number | null;
    commit?: string | null;
  } = {},
): string | null {
  return sourceLink({ file, path, line }, [rule(fields)], () => commit)?.url ?? null;
}

Deno.test("a frame leads to its line at the commit, or on the branch where none is known", () => {
  assert.equal(link("src/cart.ts"), `https://github.com/acme/shop/blob/${COMMIT}/src/cart.ts#L7`);
  assert.equal(
    link("src/cart.ts", { defaultBranch: "release/1" }, { commit: null }),
    "https://github.com/acme/shop/blob/release/1/src/cart.ts#L7",
  );
});

Deno.test("each host has its own form of address", () => {
  const at = (host: keyof typeof CODE_HOSTS, commit: string | null = COMMIT) =>
    link(
      "a.ts",
      { urlTemplate: `https://code.example.com/acme/shop${CODE_HOSTS[host].template}` },
      { commit },
    );
  assert.match(at("gitlab") ?? "", /acme\/shop\/-\/blob\/c0ffee0+\/a\.ts#L7$/);
  assert.match(at("gitea") ?? "", /acme\/shop\/src\/commit\/c0ffee0+\/a\.ts#L7$/);
  assert.match(at("gitea", null) ?? "", /acme\/shop\/src\/branch\/main\/a\.ts#L7$/);
  assert.match(at("bitbucket") ?? "", /acme\/shop\/src\/c0ffee0+\/a\.ts#lines-7$/);
});

Deno.test("the stack root is replaced by the source root", () => {
  const roots = { stackRoot: "/usr/src/app", sourceRoot: "packages/web/" };
  assert.match(link("/usr/src/app/src/a.py", roots) ?? "", /\/packages\/web\/src\/a\.py#L7$/);
  assert.match(
    link("a.py", roots, { path: "/usr/src/app/src/a.py" }) ?? "",
    /\/packages\/web\/src\/a\.py#L7$/,
  );
  assert.equal(link("/usr/src/application/a.py", roots), null);
});

Deno.test("of several roots the longest that fits counts", () => {
  const rules = [
    rule({ repository: "acme/all" }),
    rule({ repository: "acme/web", stackRoot: "web/" }),
  ];
  const found = (file: string) =>
    sourceLink({ file, path: "", line: 1 }, rules, () => null)?.rule.repository;
  assert.equal(found("web/a.ts"), "acme/web");
  assert.equal(found("api/a.ts"), "acme/all");
});

Deno.test("what bundlers put before a path is left out", () => {
  for (
    const file of [
      "webpack:///./src/a.ts",
      "webpack://shop/./src/a.ts",
      "webpack-internal:///src/a.ts",
      "app:///src/a.ts",
      "~/src/a.ts",
      "./src/a.ts",
      "src\\a.ts",
      "src/a.ts?v=1",
    ]
  ) assert.match(link(file) ?? file, /\/c0ffee0+\/src\/a\.ts#L7$/, file);
});

Deno.test("a path that leads out of the repository, or is none, has no link", () => {
  for (
    const file of [
      "../../etc/passwd",
      "src/../../x",
      "https://cdn.example.com/app.js",
      "javascript:alert(1)",
      "/etc/passwd",
      "",
      ".",
    ]
  ) assert.equal(link(file), null, file);
});

Deno.test("nothing of a path changes where the link leads", () => {
  const url = new URL(link("src/a b#c%2e%2e/é@evil.ts") ?? "");
  assert.equal(url.host, "github.com");
  assert.equal(url.hash, "#L7");
  assert.ok(url.pathname.startsWith("/acme/shop/blob/"));
  assert.equal(link("a.ts", { urlTemplate: "javascript:alert(1)//{path}" }), null);
});

Deno.test("a release that is named by its commit tells it", () => {
  assert.equal(commitInName(COMMIT), COMMIT);
  assert.equal(commitInName(`shop@${COMMIT}`), COMMIT);
  assert.equal(commitInName(`shop@1.2.0+${COMMIT}`), COMMIT);
  assert.equal(commitInName("shop@1.2.0"), null);
});
