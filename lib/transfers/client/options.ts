/** What `deno task export` and `deno task import` are told. */
import { parseArgs } from "node:util";
import { type Api, ApiRefused } from "./api.ts";
import { FOREIGN, type Foreign } from "./foreign.ts";

type Env = Readonly<Record<string, string>>;

/** Where the Watchpost is. @throws {ApiRefused} when nobody says */
export function watchpostFrom(env: Env): Api {
  const { WATCHPOST_URL: url = "", WATCHPOST_TOKEN: token = "" } = env;
  if (!URL.canParse(url) || token === "") {
    throw new ApiRefused(
      "Set WATCHPOST_URL to the address of the service, and WATCHPOST_TOKEN to a token with the scope people:data.",
    );
  }
  return { url: url.replace(/\/+$/, ""), token };
}

export interface ImportOptions {
  /** `<organization>/<project>`. */
  readonly to: string;
  readonly source:
    | {
      readonly kind: "path";
      readonly path: string;
      /** Settings that are in the file are taken, too. */
      readonly takesSettings?: boolean;
    }
    | {
      readonly kind: "api";
      readonly from: Foreign;
      readonly api: Api;
      readonly project: string;
    };
}

const USAGE =
  "Say where to and what: deno task import --to=ORGANIZATION/PROJECT [--settings] PATH, or --to=… --from=sentry|glitchtip|bugsink --url=… --token=… --project=…";

/** @throws {ApiRefused} with how it is used */
export function importOptions(args: readonly string[], env: Env): ImportOptions {
  const text = { type: "string", default: "" } as const;
  const { values, positionals } = read(() =>
    parseArgs({
      args: [...args],
      options: {
        to: text,
        from: text,
        url: text,
        token: text,
        project: text,
        settings: { type: "boolean", default: false },
      },
      allowPositionals: true,
    })
  );
  const { to, from, url, project, settings } = values;
  const [path = ""] = positionals;
  if (!/^[^/]+\/[^/]+$/.test(to) || (path === "") === (from === "")) throw new ApiRefused(USAGE);
  if (path !== "") {
    return { to, source: { kind: "path", path, ...(settings && { takesSettings: true }) } };
  }
  // A token among the arguments can be seen by everybody on the machine.
  const token = values.token || env.IMPORT_TOKEN || "";
  const known = FOREIGN.find((each) => each === from);
  if (known === undefined || !URL.canParse(url) || token === "" || project === "") {
    throw new ApiRefused(USAGE);
  }
  const api = { url: url.replace(/\/+$/, ""), token };
  return { to, source: { kind: "api", from: known, api, project } };
}

function read<T>(parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new ApiRefused(USAGE);
  }
}
