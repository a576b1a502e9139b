/** As much of a key as the pages show, so that whoever looks can tell which one it is. */
const SHOWN = 8;

/** What follows the monitor in addresses for check-ins, also a key that was mistyped or written with percent signs. */
const IN_CRON_PATH = /(\/api\/\d+\/cron\/[^/?#\s"]+\/)([^/?#\s"]+)/g;
/** What follows a project in addresses of the API that name a key, which it does by the key itself. */
const IN_KEYS_PATH = /(\/keys\/)((?:[0-9a-f]|%[0-9a-f]{2}){32,})/gi;
const IN_QUERY = /([?&]sentry_key=)([^&#\s"]+)/g;
const MARKS = ["/cron/", "/keys/", "sentry_key="];

/** Shortens the ingest keys in a text that has addresses, which may carry one in the path or the query. */
export function maskKeys(text: string): string {
  // Most texts have neither, and the log has many.
  if (!MARKS.some((mark) => text.includes(mark))) return text;
  return text.replace(IN_CRON_PATH, shortened).replace(IN_KEYS_PATH, shortened)
    .replace(IN_QUERY, shortened);
}

function shortened(_all: string, before: string, key: string): string {
  return `${before}${key.slice(0, SHOWN)}…`;
}
