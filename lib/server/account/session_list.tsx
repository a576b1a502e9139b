import { deviceName } from "../../accounts/device_names.ts";
import type { Session, SignInMethod } from "../../accounts/sessions.ts";
import { message, rich, t } from "../../core/language/translate.ts";
import { Badge } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import { ExactTime, RelativeTime } from "../../ui/components/values.tsx";

const METHODS: Readonly<Record<SignInMethod, Parameters<typeof message>[0]>> = {
  password: message("by password"),
  passkey: message("by passkey"),
  oidc: message("by single sign-on"),
  github: message("by GitHub"),
  header: message("by the proxy"),
  invite: message("by invitation"),
  setup: message("at the setup"),
};

interface SessionListProps {
  readonly sessions: readonly Session[];
  /** Id of the one that asks; null: it is none of them. */
  readonly current: string | null;
}

/** Sessions of a person: device, address, when and how, each with a button that ends it. */
export function SessionList({ sessions, current }: SessionListProps) {
  if (sessions.length === 0) return <p class="p-4 text-muted">{t("There are none.")}</p>;
  return (
    <ul class="divide-y divide-line">
      {sessions.map((session) => (
        <li key={session.id} class="flex flex-wrap items-center gap-x-4 gap-y-2 px-4 py-3">
          <div class="min-w-0 flex-1 basis-56">
            <p class="flex flex-wrap items-center gap-2 font-medium">
              <span class="wrap-anywhere">{deviceName(session.userAgent)}</span>
              {session.id === current && <Badge tone="accent">{t("this one")}</Badge>}
            </p>
            <p class="text-sm text-muted wrap-anywhere">
              {session.address ?? t("unknown address")}
              {session.method !== undefined && ` · ${t(METHODS[session.method])}`}
              {session.isStrong === true && session.method === "password" &&
                ` · ${t("with a second factor")}`}
            </p>
            <p class="text-sm text-muted">
              {rich("Signed in {date}", { date: <ExactTime date={session.createdAt} /> })}
              {" · "}
              {rich("last used {time}", { time: <RelativeTime date={session.lastSeenAt} /> })}
            </p>
          </div>
          <form method="post">
            <input type="hidden" name="session" value={session.id} />
            <Button
              name="action"
              value="end"
              size="sm"
              {...session.id !== current && {
                "aria-label": t("End {device}", { device: deviceName(session.userAgent) }),
              }}
            >
              {session.id === current ? t("Sign out") : t("End@@session")}
            </Button>
          </form>
        </li>
      ))}
    </ul>
  );
}
