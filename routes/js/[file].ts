import { serveScript } from "@/lib/sites/serve_loader.ts";
import { define } from "@/lib/server/define.ts";

/** The loader of a key, and the SDK that it loads. */
export const handler = define.handlers(({ req, params, state }) =>
  serveScript(req, params.file ?? "", state.services)
);
