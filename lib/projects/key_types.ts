import type { KeyType } from "../accounts/keys.ts";

/** What a kind of key is called. */
export const KEY_TYPE_LABELS: Readonly<Record<KeyType, string>> = {
  server: "Server key",
  browser: "Browser key",
  site: "Site key",
};

/** What a kind of key is for. */
export const KEY_TYPE_HELP: Readonly<Record<KeyType, string>> = {
  server: "For servers and jobs: may send everything. Keep it out of public code.",
  browser: "For web pages and apps: everybody can read it there, so it may send SDK events only.",
  site: "For the extension of a site: its server half and its pages share this one DSN.",
};
