import assert from "node:assert/strict";
import { TagPanel, TagSpreadPanel } from "@/lib/errors/event/tag_panels.tsx";
import { rendered } from "@/test/support/rendered.ts";

Deno.test("a tag without a name is named, and leads to the issues that share it", async () => {
  const html = await rendered(
    <TagPanel
      tags={[["", "a"], ["browser", "Firefox"]]}
      linkTo={(key, value) => `/issues?tag=${key}:${value}`}
    />,
  );
  const tags = [...html.matchAll(/href="([^"]*)".*?<span[^>]*>([^<]*)<.*?<bdi[^>]*>([^<]*)</gs)];
  assert.deepEqual(tags.map(([, href, key, value]) => [href, key, value]), [
    ["/issues?tag=:a", "(empty)", "a"],
    ["/issues?tag=browser:Firefox", "browser", "Firefox"],
  ]);
});

Deno.test("of a single event nothing is said to be the same in all", async () => {
  const heading = async (total: number) => {
    const spreads = [{ key: "browser", total, values: [{ value: "Firefox", count: total }] }];
    const html = await rendered(<TagSpreadPanel spreads={spreads} tags={[]} linkTo={() => "/"} />);
    return /<summary[^>]*>(.*?)<\/summary>/s.exec(html)?.[1]?.replace(/<[^>]*>/g, "").trim();
  };
  assert.equal(await heading(1), "1 tag");
  assert.equal(await heading(2), "Same in all 2 events: 1 tag");
});
