import assert from "node:assert/strict";
import { sourceHref } from "@/lib/ui/flamegraph/settings.ts";

const REPOSITORY = { source: "https://git.example/shop/{file}#L{line}", sourceRoot: "/app/" };
const hrefOf = (file: string, line = 7, links: Parameters<typeof sourceHref>[0] = {}) =>
  sourceHref(links, { name: "f", file, line });

Deno.test("own files lead to the repository that the project names", () => {
  assert.equal(
    hrefOf("/app/src/a b.ts", 7, REPOSITORY),
    "https://git.example/shop/src/a%20b.ts#L7",
  );
  assert.equal(hrefOf("/other/a.ts", 7, REPOSITORY), null);
  const { source } = REPOSITORY;
  assert.equal(hrefOf("./src/a.ts", 0, { source }), "https://git.example/shop/src/a.ts#L1");
  assert.equal(hrefOf("/app/node_modules/x/a.js", 7, { source }), null);
  assert.equal(hrefOf("", 7, REPOSITORY), null);
  const inName = sourceHref({ source }, { name: "f (main.py:6)", file: "", line: 0 });
  assert.equal(inName, "https://git.example/shop/main.py#L6");
});

Deno.test("what everybody can read is found without", () => {
  assert.equal(
    hrefOf("/usr/local/go/src/net/http/server.go", 2067),
    "https://go.dev/src/net/http/server.go#L2067",
  );
  const cases = [
    ["github.com/jackc/pgx/v5@v5.9.2/conn.go", "jackc/pgx/blob/v5.9.2/conn.go"],
    ["github.com/!burnt!sushi/toml@v1.3.2/lex.go", "BurntSushi/toml/blob/v1.3.2/lex.go"],
    ["golang.org/x/net@v0.30.0/http2/frame.go", "golang/net/blob/v0.30.0/http2/frame.go"],
    ["github.com/a/b/c/d/v2@v2.1.0/e.go", "a/b/blob/c/d/v2.1.0/c/d/e.go"],
    ["github.com/a/b@v2.0.0+incompatible/e.go", "a/b/blob/v2.0.0/e.go"],
    ["github.com/a/b@v0.0.0-20240102030405-0123456789ab/e.go", "a/b/blob/0123456789ab/e.go"],
  ] as const;
  for (const [file, path] of cases) {
    assert.equal(hrefOf(`/go/pkg/mod/${file}`), `https://github.com/${path}#L7`);
  }
  assert.equal(hrefOf("https://shop.example/app.js"), "https://shop.example/app.js");
});

Deno.test("nothing else has a source, whatever a client calls its files", () => {
  const files = [
    "javascript:alert(1)",
    "/src/main.go",
    "/go/pkg/mod/example.com/x@v1.0.0/a.go",
    "https://",
    "/go/src/x@y/a.go",
    "<frozen os>",
  ];
  for (const file of files) assert.equal(hrefOf(file), null, file);
});
