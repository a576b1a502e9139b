import assert from "node:assert/strict";
import { TagPanel } from "@/lib/errors/event/tag_panels.tsx";
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
