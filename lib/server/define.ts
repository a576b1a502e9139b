import { createDefine } from "fresh";
import type { Actor } from "../accounts/authorize.ts";
import type { Services } from "./services.ts";

/** What every request carries from the root middlewares to its route. */
export interface State {
  services: Services;
  /** Who asks: from the session cookie on pages, from the bearer token under `/api/0`. */
  actor: Actor;
  /** The token of the session cookie when it names a live session. */
  sessionToken: string | null;
  /** Ties an error page to its line in the log. */
  requestId: string;
  /** Address of the client, as far as the settings allow to believe it. */
  clientAddress: string;
  /** Set by handlers, read by `_app`. */
  meta: { title: string };
  theme: Theme;
}

/** `system` follows the viewer's device. */
export type Theme = "system" | "light" | "dark";

export const define = createDefine<State>();
