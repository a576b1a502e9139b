import type { Channel } from "./channels.ts";
import type { LastDelivery } from "../deliveries/deliveries.ts";
import { CHANNEL_TYPE_NAMES } from "./settings.ts";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { Cell, Row, Table } from "../../ui/components/table.tsx";
import { NONE } from "../../ui/format.ts";
import { channelPath } from "../../ui/channels_path.ts";
import { DeliveryBadge } from "./delivery_badge.tsx";

export interface ChannelListProps {
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
