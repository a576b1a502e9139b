import { keyOf, KV_LIMIT_MS, prefixOf } from "../../accounts/kv.ts";
import { t } from "../../core/language/translate.ts";
import { HOUR_MS } from "../../core/time.ts";
import { withTimeLimit } from "../../core/waiting.ts";
import { type SlowStatement, slowStatements, worstOf } from "../../store/slow_statements.ts";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { formatDuration } from "../../ui/format.ts";

/** Names this isolate among all of all processes. */
const ISOLATE = crypto.randomUUID();
let published: readonly SlowStatement[] = [];

/** Tells the other isolates and processes what was slow here, when there is something new. Never throws. */
export async function publishSlow(kv: Deno.Kv): Promise<void> {
  const found = slowStatements();
  const isKnown = found.length === published.length &&
    found.every((each, index) => each === published[index]);
  if (isKnown) return;
  try {
    const set = kv.set(keyOf.slowStatements(ISOLATE), found, { expireIn: HOUR_MS });
    await withTimeLimit(set, KV_LIMIT_MS);
    published = found;
  } catch {
    // The next time makes up for it.
  }
}

/** The worst of the last hour, of all isolates and processes; null while KV is away. */
export async function loadSlow(kv: Deno.Kv): Promise<readonly SlowStatement[] | null> {
  try {
    const entries = kv.list<readonly SlowStatement[]>({ prefix: prefixOf.slowStatements() });
    const lists = await withTimeLimit(Array.fromAsync(entries, ({ value }) => value), KV_LIMIT_MS);
    return worstOf(lists.flat(), Date.now());
  } catch {
    return null;
  }
}

export function SlowPanel({ statements }: { statements: readonly SlowStatement[] | null }) {
  const found = statements ?? [];
  return (
    <Panel
      title={t("Slow statements of the last hour")}
      id="slow"
      description={t(
        "What pages, the API and background work asked Postgres and waited more than a second for, a connection included; without the values.",
      )}
      flush={found.length > 0}
    >
      {found.length === 0
        ? (
          <p class="text-muted">
            {statements === null ? t("Deno KV does not respond.") : t("There are none.")}
          </p>
        )
        : (
          <ol class="divide-y divide-line">
            {found.map(({ text, route, ms, at }) => (
              <li key={`${route} ${text}`} class="px-4 py-3">
                <p class="text-sm tabular-nums wrap-anywhere">
                  <strong>{formatDuration(ms)}</strong> ·{" "}
                  {route === "" ? t("background work") : <code>{route}</code>} ·{" "}
                  <RelativeTime date={new Date(at)} />
                </p>
                <code class="text-meta text-muted wrap-anywhere">{text}</code>
              </li>
            ))}
          </ol>
        )}
    </Panel>
  );
}
