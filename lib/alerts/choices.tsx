/** What forms of alerts and of monitors let people choose alike: whom to tell, and days of the week. */
import { rich, t } from "../core/language/translate.ts";
import { fieldId } from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { channelsPath } from "../ui/links.ts";
import { CHANNEL_KINDS } from "./channels/channel_types.ts";
import type { Channel } from "./channels/channels.ts";
import { DAY_NAMES } from "./words.ts";

interface ChannelChoiceProps {
  readonly projectId: string;
  /** To choose from. */
  readonly channels: readonly Channel[];
  /** What was entered: `channel`, once for each. */
  readonly params: URLSearchParams;
  readonly error: string | undefined;
  /** What it means that there are none. */
  readonly emptyText: string;
  /** Where a title above says what it is, it is only read out. */
  readonly isUntitled?: boolean;
}

/** The channels of a project that notifications go to, as the field `channel`. */
export function ChannelChoice(props: ChannelChoiceProps) {
  const { projectId, channels, params, error, emptyText, isUntitled } = props;
  const chosen = params.getAll("channel");
  return (
    <fieldset id={fieldId("channel")}>
      <legend class={isUntitled ? "sr-only" : "mb-1 font-medium"}>{t("Channels")}</legend>
      {channels.length === 0 ? <p class="text-muted">{emptyText}</p> : (
        <ul class="space-y-1">
          {channels.map(({ channelId, name, type, target }) => (
            <li key={channelId}>
              <label class="flex min-w-0 items-center gap-2">
                <input
                  type="checkbox"
                  name="channel"
                  value={channelId}
                  checked={chosen.includes(channelId)}
                  class="size-4 shrink-0 accent-accent-fill"
                />
                <bdi class="min-w-0 truncate">{name}</bdi>
                <span class="min-w-0 truncate text-sm text-muted">
                  {`${t(CHANNEL_KINDS[type].label)}, ${target}`}
                </span>
              </label>
            </li>
          ))}
        </ul>
      )}
      <ChoiceError message={error} />
      <p class="mt-1 text-sm">
        {rich(
          channels.length === 0
            ? "<a>Make a channel</a> <note>in the settings; this form is not kept.</note>"
            : "<a>Make or change channels</a> <note>in the settings; this form is not kept.</note>",
          {
            a: (words) => <a class="link" href={channelsPath(projectId)}>{words}</a>,
            note: (words) => <span class="text-muted">{words}</span>,
          },
        )}
      </p>
    </fieldset>
  );
}

/** People's weeks begin on Monday. */
const WEEK = [1, 2, 3, 4, 5, 6, 0] as const;

interface DayChoiceProps {
  /** What was chosen: numbers from 0, Sunday. */
  readonly chosen: readonly string[];
  readonly error?: string | undefined;
  readonly id?: string;
}

/** Days of the week, as the field `day`. */
export function DayChoice({ chosen, error, id }: DayChoiceProps) {
  return (
    <div id={id} role="group" aria-label={t("Days")}>
      <div class="flex flex-wrap gap-x-4 gap-y-1">
        {WEEK.map((day) => (
          <label key={day} class="flex items-center gap-1.5">
            <input
              type="checkbox"
              name="day"
              value={String(day)}
              checked={chosen.includes(String(day))}
              class="size-4 accent-accent-fill"
            />
            {t(DAY_NAMES[day])}
          </label>
        ))}
      </div>
      <ChoiceError message={error} />
    </div>
  );
}

function ChoiceError({ message }: { readonly message: string | undefined }) {
  if (message === undefined) return null;
  return (
    <p class="mt-1 flex items-start gap-1 text-sm text-danger">
      <Icon name="error" size={14} class="mt-[3px]" />
      {message}
    </p>
  );
}
