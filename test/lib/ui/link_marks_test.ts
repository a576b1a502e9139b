import assert from "node:assert/strict";
import { h, options } from "preact";
import { renderToString } from "preact-render-to-string";

Deno.test("links say aria-current where a page says so, and nowhere else, whatever Fresh would add", async () => {
  const before = options.vnode;
  try {
    // As upstream Fresh does with every link to the page and what lies above it.
    options.vnode = ({ type, props }) => {
      if (type === "a" && Reflect.get(props, "aria-current") === undefined) {
        Object.assign(props, { "aria-current": "true", "data-ancestor": "true" });
      }
    };
    await import("@/lib/ui/link_marks.ts");

    const links = h("nav", null, [
      h("a", { href: "/" }, "up"),
      h("a", { href: "/a", "aria-current": undefined }, "sort"),
      h("a", { href: "/b", "aria-current": "page" }, "here"),
    ]);

    assert.equal(
      renderToString(links),
      '<nav><a href="/">up</a><a href="/a">sort</a><a href="/b" aria-current="page">here</a></nav>',
    );
  } finally {
    if (before === undefined) delete options.vnode;
    else options.vnode = before;
  }
});
