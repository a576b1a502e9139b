import { CHANNEL_TYPES } from "./channels.ts";
import { CHANNEL_TYPE_NAMES } from "./settings.ts";
import { Icon } from "../../ui/components/icon.tsx";
import { CHANNEL_KINDS } from "./channel_kinds.ts";
import { channelsPath } from "../../ui/channels_path.ts";

/** The types of channels to choose from, each a link to its form. */
export function TypeChoice({ projectId }: { readonly projectId: string }) {
  return (
    <ul class="grid gap-3 sm:grid-cols-2">
      {CHANNEL_TYPES.map((type) => (
        <li key={type}>
          <a
            href={`${channelsPath(projectId)}/new?type=${type}`}
            class="flex h-full items-start gap-3 rounded-lg border border-line-strong p-3 hover:bg-hover"
          >
            <Icon name={CHANNEL_KINDS[type].icon} class="mt-[3px] text-muted" />
            <span class="min-w-0">
              <span class="block font-medium">{CHANNEL_TYPE_NAMES[type]}</span>
              <span class="block text-sm text-muted">{CHANNEL_KINDS[type].summary}</span>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
