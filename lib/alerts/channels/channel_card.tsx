import type { Channel } from "./channels.ts";
import { CHANNEL_TYPE_NAMES } from "./settings.ts";
import { Alert } from "../../ui/components/alert.tsx";
import { Button } from "../../ui/components/button.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { RelativeTime } from "../../ui/components/relative_time.tsx";
import { channelsPath } from "../../ui/channels_path.ts";

export interface ChannelCardProps {
  readonly channel: Channel;
  readonly mayWrite: boolean;
  /** False: the key that sealed its settings is not the instance's any more. */
  readonly isReadable: boolean;
}

/** What a channel is, and a button to try it. */
export function ChannelCard({ channel, mayWrite, isReadable }: ChannelCardProps) {
  return (
    <Panel
      title={<span class="wrap-anywhere">{channel.name}</span>}
      id="channel"
      actions={<a class="link" href={channelsPath(channel.projectId)}>All channels</a>}
    >
      {!isReadable && (
        <Alert kind="danger" title="The settings cannot be read any more" class="mb-4">
          <code>SERVICE_SECRET_KEY</code> has changed since they were saved. Enter them again below.
        </Alert>
      )}
      <dl class="grid gap-x-6 gap-y-2 sm:grid-cols-[10rem_1fr]">
        <dt class="text-muted">Type</dt>
        <dd>{CHANNEL_TYPE_NAMES[channel.type]}</dd>
        <dt class="text-muted">Leads to</dt>
        <dd>
          <code class="wrap-anywhere">{channel.target}</code>
        </dd>
        <dt class="text-muted">Changed</dt>
        <dd class="wrap-anywhere">
          <RelativeTime date={channel.updatedAt} />
          {channel.updatedBy !== "" && ` by ${channel.updatedBy}`}
        </dd>
      </dl>
      {mayWrite && (
        <form method="post" class="mt-4">
          <Button name="action" value="test">Send test</Button>
        </form>
      )}
    </Panel>
  );
}
