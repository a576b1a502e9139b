/** What other rooms may use of alerts: channels, notices on their way, times of the week. */
export { CHANNEL_TYPES } from "./channels/channel_types.ts";
export { type Channel, isChannelId, listChannels } from "./channels/channels.ts";
export { type Mail, MailFailure, sendMail } from "./channels/email.ts";
export { letterOf } from "./channels/letter.ts";
export type { Notice } from "./channels/message.ts";
export { addOutline, MAX_CHANNELS } from "./channels/settings.ts";
export { ChannelChoice, DayChoice } from "./choices.tsx";
export { checkAlert, isOfIssues, isTimeZone } from "./check_input.ts";
export { enqueueNotice } from "./deliveries/queue.ts";
export { inSchedule } from "./evaluation/group_states.ts";
export {
  ALERT_LEVELS,
  ALERT_STATUSES,
  endPastHistory,
  keepPastHistory,
  NOTICE_OUTCOMES,
} from "./past_history.ts";
export type { AlertTransition } from "./rule.ts";
export { createRule, inputOf, listRules, pinMetrics, TooManyRules } from "./rules.ts";
export { clockText, scheduleWords } from "./words.ts";
