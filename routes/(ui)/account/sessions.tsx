import { requireUser } from "@/lib/accounts/authorize.ts";
import { listSessions, revokeSessions, type Session } from "@/lib/accounts/sessions.ts";
import { t } from "@/lib/core/language/translate.ts";
import { SessionList } from "@/lib/server/account/session_list.tsx";
import { define } from "@/lib/server/define.ts";
import { formHandlers } from "@/lib/server/form_handlers.ts";
import { clearedSessionCookie } from "@/lib/server/session.ts";
import { loadShell } from "@/lib/server/shell.tsx";
import { AccountPage } from "@/lib/ui/tabbed_pages.tsx";
import { Button } from "@/lib/ui/components/button.tsx";
import { Panel } from "@/lib/ui/components/panel.tsx";
import { redirectWithFlash } from "@/lib/ui/cookies.ts";
import { fieldOf, readForm } from "@/lib/ui/form.ts";
import type { Shell } from "@/lib/ui/shell.ts";

interface SessionsData {
  readonly shell: Shell;
  readonly sessions: readonly Session[];
  readonly current: string | null;
}

const PATH = "/account/sessions";

/** Where the person is signed in. */
export default define.page<typeof handler>(({ data: { shell, sessions, current } }) => (
  <AccountPage shell={shell} tab="sessions">
    <Panel
      title={t("Where you are signed in")}
      description={t("End what you do not know, and choose a new password then.")}
      actions={sessions.length > 1 && (
        <form method="post">
          <Button name="action" value="others" size="sm">{t("End all others")}</Button>
        </form>
      )}
      flush
    >
      <SessionList sessions={sessions} current={current} />
    </Panel>
  </AccountPage>
));

export const handler = formHandlers<SessionsData>(async (ctx) => {
  const user = requireUser(ctx.state);
  ctx.state.meta.title = t("Sessions");
  const { session, services: { kv } } = ctx.state;
  const listed = await listSessions(kv, user.id);
  // One that began before there was a list is in it once it was used.
  const isListed = session === null || listed.some(({ id }) => id === session.id);
  const sessions = isListed ? listed : [session, ...listed];
  return { shell: await loadShell(ctx), sessions, current: session?.id ?? null };
}, async (ctx) => {
  const user = requireUser(ctx.state);
  const { session, services: { kv, config } } = ctx.state;
  const form = await readForm(ctx.req);
  const chosen = fieldOf(form, "session");
  const ids = form.get("action") === "others"
    ? (await listSessions(kv, user.id)).map(({ id }) => id).filter((id) => id !== session?.id)
    : [chosen];
  const n = await revokeSessions(kv, user, ids);
  if (chosen === session?.id) {
    const headers = { location: "/sign-in", "set-cookie": clearedSessionCookie(config) };
    return new Response(null, { status: 303, headers });
  }
  return redirectWithFlash(PATH, t("{n} session ended.|{n} sessions ended.", { n }));
});
