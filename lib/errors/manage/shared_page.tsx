import type { ComponentChildren } from "preact";
import { LevelBadge } from "../../ui/components/badge.tsx";
import { Logo } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { Count, ExactTime, RelativeTime } from "../../ui/components/values.tsx";
import { visible } from "../../ui/json.ts";
import { ExceptionPanel } from "../event/exception_panel.tsx";
import type { FrameMode } from "../event/stack.ts";
import type { FrameOrder, SwitchLinks } from "../event/stack_trace.tsx";
import { sharePath } from "./share_page.tsx";
import type { SharedIssue } from "./shared_issue.ts";
import { rich, t } from "../../core/language/translate.ts";
import { issueWords } from "../monitor_words.ts";

export interface SharedView extends SharedIssue {
  readonly mode: FrameMode;
  readonly order: FrameOrder;
}

/** An issue as strangers see it who were given a link. */
export function SharedIssuePage({ share, project, issue, event, mode, order }: SharedView) {
  const { type, value } = issue.metadata;
  return (
    <div class="min-h-dvh bg-canvas">
      <header class="border-b border-line bg-surface">
        <div class="mx-auto flex max-w-5xl flex-wrap items-center gap-x-3 gap-y-1 px-4 py-3">
          <Logo size={24} />
          <span class="font-semibold">Watchpost</span>
          <span class="ml-auto text-sm text-muted">
            {rich("Shared by a member of {project} · ends {time}", {
              project: project.name,
              time: <RelativeTime date={share.expiresAt} />,
            })}
          </span>
        </div>
      </header>
      <main class="mx-auto max-w-5xl space-y-4 px-4 py-6">
        <div>
          <h1 class="text-xl font-semibold wrap-anywhere">
            <bdi>{type ? visible(type) : issueWords(issue).title}</bdi>
          </h1>
          {type && value && (
            <p class="mt-0.5 line-clamp-4 wrap-anywhere" dir="auto">{visible(value)}</p>
          )}
          <p class="mt-1.5 flex flex-wrap items-center gap-x-2 gap-y-1 text-sm text-muted">
            <LevelBadge level={issue.level} />
            <span>{issue.platform}</span>
          </p>
        </div>
        <Panel>
          <dl class="grid grid-cols-2 gap-x-6 gap-y-3 sm:grid-cols-4">
            <Fact label={t("Events")}>
              <Count value={issue.timesSeen} unit="{n} event|{n} events" />
            </Fact>
            <Fact label={t("Users")}>
              <Count value={issue.usersSeen} unit="{n} user|{n} users" />
            </Fact>
            <Fact label={t("First seen")}>
              <RelativeTime date={issue.firstSeen} />
            </Fact>
            <Fact label={t("Last seen")}>
              <RelativeTime date={issue.lastSeen} />
            </Fact>
          </dl>
        </Panel>
        {event === null
          ? <p class="text-muted">{t("The events of this issue are older than what is kept.")}</p>
          : (
            <>
              <p class="text-sm text-muted">
                {rich("Newest event · {time}", {
                  time: <ExactTime date={event.timestamp} />,
                })}
              </p>
              {event.exceptions.length === 0
                ? <p class="text-muted">{t("It has neither an exception nor a stack.")}</p>
                : (
                  <ExceptionPanel
                    exceptions={event.exceptions}
                    mode={mode}
                    order={order}
                    form="mapped"
                    links={switchLinks(share.id, mode, order)}
                  />
                )}
            </>
          )}
      </main>
    </div>
  );
}

function Fact(
  { label, children }: { readonly label: string; readonly children: ComponentChildren },
) {
  return (
    <div class="min-w-0">
      <dt class="text-meta text-muted">{label}</dt>
      <dd class="font-semibold">{children}</dd>
    </div>
  );
}

function switchLinks(shareId: string, mode: FrameMode, order: FrameOrder): SwitchLinks {
  const link = (changes: { readonly mode?: FrameMode; readonly order?: FrameOrder }) => {
    const shown = { mode, order, ...changes };
    const pairs = [
      ...shown.mode === "all" ? [["frames", "all"]] : [],
      ...shown.order === "oldest" ? [["order", "oldest"]] : [],
    ];
    const query = new URLSearchParams(pairs).toString();
    return `${sharePath(shareId)}${query === "" ? "" : `?${query}`}#exception`;
  };
  return {
    mode: { app: link({ mode: "app" }), all: link({ mode: "all" }) },
    order: { newest: link({ order: "newest" }), oldest: link({ order: "oldest" }) },
    form: null,
  };
}
