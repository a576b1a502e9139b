import type { RefusedRequest } from "./refused_requests.ts";
import { Badge } from "../ui/components/badge.tsx";
import { LinkButton } from "../ui/components/button.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { Panel } from "../ui/components/panel.tsx";
import { RelativeTime } from "../ui/components/values.tsx";
import { visible } from "../ui/json.ts";
import { adviceFor } from "./reasons.ts";
import { t } from "../core/language/translate.ts";

interface DoctorPanelProps {
  /** Newest first. */
  readonly refused: readonly RefusedRequest[];
  /** Names of the project's keys by their ids. */
  readonly keyNames: ReadonlyMap<string, string>;
  /** Where a fresh look is. */
  readonly href: string;
}

/** Why requests for a project were refused lately, and what to do about it. */
export function DoctorPanel({ refused, keyNames, href }: DoctorPanelProps) {
  return (
    <Panel
      title={t("DSN doctor")}
      id="doctor"
      description={t(
        "The last requests that were refused, those with unknown keys included. Payloads are not kept.",
      )}
      actions={
        <LinkButton size="sm" icon="refresh" href={`${href}#doctor`}>{t("Refresh")}</LinkButton>
      }
      flush
    >
      {refused.length === 0
        ? (
          <p class="flex items-center gap-2 p-4 text-muted">
            <Icon name="ok" class="text-ok" /> {t("No request was refused lately.")}
          </p>
        )
        : (
          <ul class="max-h-[32rem] divide-y divide-line overflow-y-auto" tabindex={0}>
            {refused.map((request, index) => (
              <RefusedRow key={index} request={request} keyNames={keyNames} />
            ))}
          </ul>
        )}
    </Panel>
  );
}

function RefusedRow(
  { request, keyNames }: {
    readonly request: RefusedRequest;
    readonly keyNames: ReadonlyMap<string, string>;
  },
) {
  const { what, todo } = adviceFor(request.reason);
  const keyName = keyNames.get(request.keyId);
  const sender = request.sdk || request.userAgent;
  return (
    <li class="px-4 py-2.5">
      <p class="flex flex-wrap items-baseline gap-x-2 gap-y-1">
        <Badge tone={request.status >= 500 ? "danger" : "warning"}>{request.status}</Badge>
        <span class="font-medium">{what}</span>
        <span class="text-sm text-muted">
          <RelativeTime date={request.time} />
        </span>
      </p>
      <p class="mt-0.5 text-sm">{todo}</p>
      <p class="mt-0.5 text-meta wrap-anywhere text-muted">
        {keyName !== undefined && `${t("key “{name}”", { name: keyName })} · `}
        {request.keyHint !== "" && (
          <>
            <code>{visible(request.keyHint)}…</code> ·{" "}
          </>
        )}
        <code>{request.method} {visible(request.path)}</code>
        {sender !== "" && <>{" · "}{visible(sender)}</>}
        {request.origin !== "" &&
          ` · ${t("from {origin}", { origin: visible(request.origin) })}`}
      </p>
    </li>
  );
}
