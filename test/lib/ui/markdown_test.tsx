import assert from "node:assert/strict";
import { Markdown } from "@/lib/ui/markdown.tsx";
import { rendered } from "../../support/rendered.ts";
import { inTimeAsync } from "../../support/time_budget.ts";

async function html(text: string): Promise<string> {
  const page = await rendered(<Markdown text={text} />);
  return /<div class="prose-text">(.*)<\/div>/s.exec(page)?.[1] ?? "";
}

Deno.test("Markdown becomes elements, headings below those of the page", async () => {
  assert.equal(
    await html("# On call\n\nAsk **Ann** or *Bo*."),
    [
      "<h3>On call</h3>",
      "<p>Ask <strong>Ann</strong> or <em>Bo</em>.</p>",
    ].join(""),
  );
  assert.equal(await html("- a\n- b"), "<ul><li><p>a</p></li><li><p>b</p></li></ul>");
  assert.equal(await html("3. a"), '<ol start="3"><li><p>a</p></li></ol>');
  assert.match(await html("```\nx < 1\n```"), /<pre[^>]*><code>x &lt; 1<\/code><\/pre>/);
});

Deno.test("HTML is shown as it was written", async () => {
  const shown = await html("<script>alert(1)</script>\n\na <b onclick=x>b</b>");
  assert.doesNotMatch(shown, /<script|<b /);
  assert.match(shown, /&lt;script>alert\(1\)&lt;\/script>/);
});

Deno.test("links lead to the web alone, and tell nobody where they were", async () => {
  assert.match(
    await html("[Runbook](https://example.org/a)"),
    /<a class="link" href="https:\/\/example\.org\/a" rel="noopener noreferrer nofollow"/,
  );
  for (
    const address of [
      "javascript:alert(1)",
      "data:text/html,x",
      "/projects",
      "//host",
      "mailto:a@b.c",
    ]
  ) {
    assert.equal(await html(`[Runbook](${address})`), "<p>Runbook</p>");
  }
  assert.match(await html("![Plan](https://example.org/a.png)"), /<a [^>]*>Plan<\/a>/);
  assert.doesNotMatch(await html("![Plan](https://example.org/a.png)"), /<img/);
});

Deno.test("deep or strange nesting ends soon and is not an error", async () => {
  for (
    const text of [">".repeat(9_000), "[".repeat(9_000), "*a ".repeat(3_000), "- ".repeat(4_000)]
  ) {
    assert.ok((await html(text)).length > 0, text.slice(0, 6));
  }
});

/** Such as take parsers of Markdown a time that grows with the square of the text, or worse. */
const HOSTILE = [
  ..."*a_ |_a*|*|**a *b _c __d |*a |[|![|[a](|[a](b|a[](|[^|**](|[x]|a]|`|``a`|a``|<|<!--|<?".split(
    "|",
  ),
  ..."<a ><![CDATA[|<http://|<https://a> |&a|&#|\\*|> |- |> - |- a\n|* \n|a\n|a\n-\n|* * *\n|```\n"
    .split(
      "|",
    ),
  ..."[a]: b\n|> 1. \n\n    |<a \na|- *]***\n|'\"|~~~ |\t|# |1) |http://a|\\".split("|"),
];

Deno.test("a text takes time in proportion to its length, whatever is in it", async () => {
  const length = 10_000;
  const texts = [
    ...HOSTILE.map((part) => part.repeat(length / part.length)),
    ...["*", "_", "**", "[", "> ", "`"].map((part) => {
      const half = part.repeat(length / 2 / part.length);
      return half + "a" + (part === "[" ? half.replaceAll("[", "]") : half);
    }),
    "*a **b ".repeat(length / 14) + "c** d*".repeat(length / 12),
    Array.from({ length: 140 }, (_, run) => "`".repeat(run)).join(" "),
    `[a]: http://${"x".repeat(length / 2)}\n\n${"[a]".repeat(length / 6)}`,
  ];
  for (const text of texts) {
    const shown = await inTimeAsync(80, () => html(text), JSON.stringify(text.slice(0, 14)));
    assert.ok(shown.length < 10 * length + 100, text.slice(0, 14));
  }
});
