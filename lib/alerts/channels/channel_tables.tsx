import { channelPath } from "../../ui/links.ts";
import { Badge, type Tone } from "../../ui/components/badge.tsx";
import { Button } from "../../ui/components/button.tsx";
import type { IconName } from "../../ui/components/icon.tsx";
import { RelativeTime } from "../../ui/components/values.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { formatQuantity, NONE } from "../../ui/format.ts";
import type { Delivery, DeliveryState, LastDelivery } from "../deliveries/deliveries.ts";
import type { Channel } from "./channels.ts";
import { CHANNEL_TYPE_NAMES } from "./settings.ts";

interface ChannelListProps {
  readonly channels: readonly Channel[];
  /** By channel id. */
  readonly lastDeliveries: ReadonlyMap<string, LastDelivery>;
}

/** The channels of a project, with where they lead and what became of the last notice. */
export function ChannelList({ channels, lastDeliveries }: ChannelListProps) {
  return (
    <Table
      caption="Channels"
      density="comfortable"
      columns={[
        { label: "Name" },
        { label: "Type" },
        { label: "Leads to", class: "max-md:hidden" },
        { label: "Last delivery" },
      ]}
    >
      {channels.map((channel) => (
        <Row key={channel.channelId}>
          <Cell>
            <a
              class="row-link link font-medium wrap-anywhere"
              href={channelPath(channel.projectId, channel.channelId)}
            >
              {channel.name}
            </a>
          </Cell>
          <Cell class="whitespace-nowrap">{CHANNEL_TYPE_NAMES[channel.type]}</Cell>
          <Cell class="max-md:hidden">
            <code class="text-muted wrap-anywhere">{channel.target}</code>
          </Cell>
          <Cell>
            <LastOf delivery={lastDeliveries.get(channel.channelId)} />
          </Cell>
        </Row>
      ))}
    </Table>
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
  firing: "Firing",
  resolved: "Resolved",
  no_data: "No data",
  test: "Test",
} as const;

/** The deliveries of a channel: what was sent, what came of it, and a button to send it again. */
export function DeliveryTable({ deliveries, mayWrite }: DeliveryTableProps) {
  return (
    <Table
      caption="Deliveries"
      density="comfortable"
      columns={[
        { label: "Notice" },
        { label: "State" },
        { label: "Answer" },
        ...mayWrite ? [{ label: "Actions" }] : [],
      ]}
    >
      {deliveries.map((delivery) => (
        <Row key={delivery.deliveryId}>
          <Cell class="min-w-40 py-1.5">
            <StateWord {...delivery} />
            <a class="link wrap-anywhere" href={delivery.notice.url}>{delivery.notice.title}</a>
            <p class="text-sm text-muted">
              <RelativeTime date={delivery.createdAt} />
            </p>
          </Cell>
          <Cell>
            <DeliveryBadge state={delivery.state} />
          </Cell>
          <Cell class="min-w-40 py-1.5">
            <AnswerOf {...delivery} />
          </Cell>
          {mayWrite && (
            <Cell>
              <SendAgain {...delivery} />
            </Cell>
          )}
        </Row>
      ))}
    </Table>
  );
}

/** What kind of notice it is, unless its title begins so. */
function StateWord({ notice: { state, title } }: Delivery) {
  const word = `${STATE_WORDS[state]}:`;
  return title.startsWith(word) ? null : <span class="text-muted">{`${word} `}</span>;
}

function SendAgain({ deliveryId, state, notice }: Delivery) {
  const label = state === "waiting" ? "Try now" : "Send again";
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
        {attempts === 0 ? "Not tried yet" : formatQuantity(attempts, "attempt")}
        {state === "waiting" && attempts > 0 && (
          <>
            , next <RelativeTime date={dueAt} />
          </>
        )}
      </p>
    </>
  );
}

const LOOKS: Record<DeliveryState, { tone: Tone; icon: IconName; help: string }> = {
  waiting: { tone: "warning", icon: "clock", help: "It is tried again by itself" },
  sent: { tone: "ok", icon: "ok", help: "The receiver has taken it" },
  failed: { tone: "danger", icon: "error", help: "It is not tried again by itself" },
};

/** What became of a delivery: colour, shape and word. */
function DeliveryBadge({ state }: { readonly state: DeliveryState }) {
  const { tone, icon, help } = LOOKS[state];
  return <Badge tone={tone} icon={icon} title={help}>{state}</Badge>;
}
