import { HttpError } from "fresh";
import type { Project } from "../../accounts/projects.ts";
import type { Backend } from "../../store/stores.ts";
import { channelPath, channelsPath } from "../../ui/links.ts";
import { checkConfirmation, CONFIRM_FIELD } from "../../ui/components/fields.tsx";
import type { FlashKind } from "../../ui/cookies.ts";
import { actionOf, attempt, fieldOf, type SecretOutcome } from "../../ui/form.ts";
import { sendAgain } from "../deliveries/deliveries.ts";
import { tryChannel } from "../deliveries/deliver.ts";
import {
  CHANNEL_FIELDS,
  CHANNEL_TYPES,
  type ChannelSettings,
  type ChannelType,
} from "./channel_types.ts";
import { type Channel, deleteChannel } from "./channels.ts";
import { changeChannel, type ChannelInput, renewSigningSecret } from "./settings.ts";
import { t } from "../../core/language/translate.ts";

type ChannelOutcome = SecretOutcome<{ readonly channel: Channel }>;

type Act = (
  services: Backend,
  project: Project,
  channel: Channel,
  form: URLSearchParams,
  by: string,
) => Promise<ChannelOutcome>;

/**
 * Does what a form of a channel's page asks for.
 *
 * @param by e-mail address of who does it
 * @throws {HttpError} 404 for a channel or delivery that is gone, 400 for forms of somebody else
 */
export const actOnChannel: Act = async (services, project, channel, form, by) => {
  return await actionOf(ACTIONS, form)(services, project, channel, form, by);
};

const ACTIONS: Readonly<Record<string, Act>> = {
  async update(services, _project, channel, form, by) {
    const input = readChannelForm(form);
    const result = await attempt(() => changeChannel(services, channel, input, by));
    if (!result.ok) {
      return { kind: "refused", errors: result.errors, values: enteredValues(input) };
    }
    const saved = result.value;
    return saved !== null && saved.signingSecret !== null
      ? { kind: "renewed", channel: saved.channel, secret: saved.signingSecret }
      : done(channel, t("{name} is saved.", { name: saved?.channel.name ?? channel.name }));
  },

  async test(services, project, channel) {
    const tools = { config: services.config, signal: services.stopping };
    const result = await attempt(() => tryChannel(services, tools, channel, project));
    if (!result.ok) return { kind: "refused", errors: result.errors };
    const { kind, answer } = result.value;
    const said = [answer.status, answer.text].filter((part) => part !== null && part !== "")
      .join(" ");
    return kind === "sent"
      ? done(
        channel,
        said === ""
          ? t("The test was accepted.")
          : t("The test was accepted: {response}", { response: said }),
      )
      : done(channel, t("The test was not accepted: {response}", { response: said }), "danger");
  },

  async renew(services, _project, channel, _form, by) {
    const result = await attempt(() => renewSigningSecret(services, channel, by));
    if (!result.ok) return { kind: "refused", errors: result.errors };
    if (result.value === null || result.value.signingSecret === null) throw gone();
    return { kind: "renewed", channel: result.value.channel, secret: result.value.signingSecret };
  },

  async resend({ sql }, _project, channel, form) {
    const { projectId, channelId } = channel;
    if (!await sendAgain(sql, projectId, channelId, fieldOf(form, "delivery"))) throw gone();
    return done(channel, t("It goes out again in a moment."));
  },

  async delete({ sql }, _project, channel, form) {
    const problem = checkConfirmation(form, channel.name);
    if (problem !== null) return { kind: "refused", errors: { [CONFIRM_FIELD]: problem } };
    await deleteChannel(sql, channel.projectId, channel.channelId);
    const location = channelsPath(channel.projectId);
    return {
      kind: "done",
      location,
      text: t("{name} is deleted.", { name: channel.name }),
      tone: "ok",
    };
  },
};

function done(
  { projectId, channelId }: Channel,
  text: string,
  tone: FlashKind = "ok",
): ChannelOutcome {
  return { kind: "done", location: channelPath(projectId, channelId), text, tone };
}

function gone(): HttpError {
  return new HttpError(404, t("This does not exist any more."));
}

/** What the form of a channel sends. */
export function readChannelForm(form: URLSearchParams): ChannelInput {
  const fields = [...CHANNEL_FIELDS.keys()].map((field) => [field, fieldOf(form, field)] as const);
  return { name: fieldOf(form, "name"), ...Object.fromEntries(fields) };
}

/** The type that an address names, or null. */
export function readChannelType(text: string | null): ChannelType | null {
  return CHANNEL_TYPES.find((type) => type === text) ?? null;
}

/** What the form shows of a channel: everything that is no secret. */
export function valuesOf(name: string, settings: ChannelSettings | null): Record<string, string> {
  return enteredValues({
    name,
    ...Object.fromEntries(
      Object.entries(settings ?? {}).map(([field, value]) => [field, [value].flat().join("\n")]),
    ),
  });
}

/** What the form shows when it was refused: what was entered, but for secrets. */
export function enteredValues(input: ChannelInput): Record<string, string> {
  const shown = [...CHANNEL_FIELDS.values()].filter(({ isSecret }) => !isSecret);
  const values = shown.map((field) => [field.name, input[field.name] ?? ""] as const);
  return { name: input.name, ...Object.fromEntries(values) };
}
