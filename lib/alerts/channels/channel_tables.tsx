import { channelPath } from "../../ui/links.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import type { IconName } from "../../ui/components/icon.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { RowTable } from "../../ui/components/table.tsx";
import { NONE } from "../../ui/format.ts";
import type { Delivery, DeliveryState, LastDelivery } from "../deliveries/deliveries.ts";
import { CHANNEL_KINDS } from "./channel_types.ts";
import type { Channel } from "./channels.ts";
import { message, rich, t } from "../../core/language/translate.ts";

interface ChannelListProps {
  readonly channels: readonly Channel[];
  /** By channel id. */
  readonly lastDeliveries: ReadonlyMap<string, LastDelivery>;
}

/** The channels of a project, with where they lead and what became of the last notice. */
export function ChannelList({ channels, lastDeliveries }: ChannelListProps) {
  return (
    <RowTable
      caption={t("Channels")}
      density="comfortable"
      rows={channels}
      rowKey={({ channelId }) => channelId}
      columns={[
        {
          label: t("Name"),
          cell: ({ projectId, channelId, name, awaitsSettings }) => (
            <span class="flex flex-wrap items-center gap-x-2 gap-y-1">
              <a
                class="row-link link font-medium wrap-anywhere"
                href={channelPath(projectId, channelId)}
              >
                {name}
              </a>
              {awaitsSettings && <AwaitsSettings />}
            </span>
          ),
        },
        {
          label: t("Type"),
          cellClass: "whitespace-nowrap",
          cell: ({ type }) => t(CHANNEL_KINDS[type].label),
        },
        {
          label: t("Leads to"),
          class: "max-md:hidden",
          cell: ({ target }) => <code class="text-muted wrap-anywhere">{target}</code>,
        },
        {
          label: t("Last delivery"),
          cell: ({ channelId }) => <LastOf delivery={lastDeliveries.get(channelId)} />,
        },
      ]}
    />
  );
}

/** Marks a channel that an import made. */
export function AwaitsSettings() {
  return (
    <Badge tone="warning" icon="warning" title={t("Nothing goes out through this channel yet")}>
      {t("needs settings")}
    </Badge>
  );
}

function LastOf({ delivery }: { readonly delivery: LastDelivery | undefined }) {
  if (delivery === undefined) return <span class="text-muted">{NONE}</span>;
  return (
    <span class="flex flex-wrap items-center gap-x-2 gap-y-1">
      <DeliveryBadge state={delivery.state} />
      <span class="text-muted">
        <RelativeTime date={delivery.createdAt} />
      </span>
    </span>
  );
}

interface DeliveryTableProps {
  readonly deliveries: readonly Delivery[];
  readonly mayWrite: boolean;
}

const STATE_WORDS = {
  firing: message("Firing"),
  resolved: message("Resolved"),
  no_data: message("No data"),
  test: message("Test"),
} as const;

/** The deliveries of a channel: what was sent, what came of it, and a button to send it again. */
export function DeliveryTable({ deliveries, mayWrite }: DeliveryTableProps) {
  return (
    <RowTable
      caption={t("Deliveries")}
      density="comfortable"
      rows={deliveries}
      rowKey={({ deliveryId }) => deliveryId}
      columns={[
        { label: t("Notification"), cellClass: "min-w-40 py-1.5", cell: NoticeOf },
        { label: t("State"), cell: DeliveryBadge },
        { label: t("Response"), cellClass: "min-w-40 py-1.5", cell: AnswerOf },
        ...mayWrite ? [{ label: t("Actions"), cell: SendAgain }] : [],
      ]}
    />
  );
}

function NoticeOf(delivery: Delivery) {
  const { notice, createdAt } = delivery;
  return (
    <>
      <StateWord {...delivery} />
      <a class="link wrap-anywhere" href={notice.url}>{notice.title}</a>
      <p class="text-sm text-muted">
        <RelativeTime date={createdAt} />
      </p>
    </>
  );
}

/** What kind of notice it is, unless its title begins so. */
function StateWord({ notice: { state, title } }: Delivery) {
  const word = `${STATE_WORDS[state]}:`;
  return title.startsWith(word) ? null : <span class="text-muted">{`${word} `}</span>;
}

function SendAgain({ deliveryId, state, notice }: Delivery) {
  const label = state === "waiting" ? t("Try now") : t("Send again");
  return (
    <form method="post">
      <input type="hidden" name="delivery" value={deliveryId} />
      <Button size="sm" name="action" value="resend" aria-label={`${label}: ${notice.title}`}>
        {label}
      </Button>
    </form>
  );
}

function AnswerOf({ state, status, answer, attempts, dueAt }: Delivery) {
  const said = [status, answer].filter((part) => part !== null && part !== "").join(" ");
  return (
    <>
      {said !== "" && <code class="line-clamp-3 text-sm wrap-anywhere" title={answer}>{said}</code>}
      <p class="text-sm text-muted">
        {attempts === 0 ? t("Not tried yet") : t("{n} attempt|{n} attempts", { n: attempts })}
        {state === "waiting" && attempts > 0 && (
          <>
            {", "}
            {rich("next {time}", { time: <RelativeTime date={dueAt} /> })}
          </>
        )}
      </p>
    </>
  );
}

const LOOKS: Record<DeliveryState, { tone: Tone; icon: IconName; help: string }> = {
  waiting: { tone: "warning", icon: "clock", help: message("It is tried again by itself") },
  sent: { tone: "ok", icon: "ok", help: message("The receiver has taken it") },
  failed: { tone: "danger", icon: "error", help: message("It is not tried again by itself") },
};

/** What became of a delivery: colour, shape and word. */
function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  const { tone, icon, help } = LOOKS[state];
  return <Badge tone={tone} icon={icon} title={help}>{state}</Badge>;
}
