import { HttpError, page } from "fresh";
import { nounsOf } from "@/lib/api/docs/nouns.ts";
import { DocsIndexPage, NounDocsPage } from "@/lib/api/docs/pages.tsx";
import { apiDocument } from "@/lib/server/api_table.ts";
import { define } from "@/lib/server/define.ts";

/** The management API, to read. Nobody needs an account: it tells what every installation has. */
export default define.page<typeof handler>(({ data: { noun, query, ...view } }) =>
  noun === null ? <DocsIndexPage {...view} query={query} /> : <NounDocsPage {...view} noun={noun} />
);

const MAX_QUERY = 100;

export const handler = define.handlers({
  GET(ctx) {
    const { searchParams } = ctx.url;
    const document = apiDocument();
    const asked = searchParams.get("noun");
    // A parameter, because all below /api/<name>/ is for programs that send.
    const noun = nounsOf(document).find(({ slug }) => slug === asked) ?? null;
    if (asked !== null && noun === null) {
      throw new HttpError(404, "The API has no noun of this name.");
    }
    ctx.state.meta.title = noun === null ? "API" : `${noun.name} · API`;
    return page({
      document,
      noun,
      query: (searchParams.get("query") ?? "").slice(0, MAX_QUERY),
      baseUrl: ctx.state.services.config.baseUrl,
    });
  },
});
