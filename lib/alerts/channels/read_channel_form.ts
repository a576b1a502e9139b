import { CHANNEL_TYPES, type ChannelType } from "./channels.ts";
import type { ChannelInput } from "./manage_channels.ts";
import type { ChannelSettings } from "./settings.ts";
import { fieldOf } from "../../ui/form.ts";

/** What the form of a channel sends. */
export function readChannelForm(form: URLSearchParams): ChannelInput {
  return {
    name: fieldOf(form, "name"),
    addresses: fieldOf(form, "addresses"),
    url: fieldOf(form, "url"),
    token: fieldOf(form, "token"),
    chatId: fieldOf(form, "chatId"),
    routingKey: fieldOf(form, "routingKey"),
  };
}

/** The type that an address names, or null. */
export function readChannelType(text: string | null): ChannelType | null {
  return CHANNEL_TYPES.find((type) => type === text) ?? null;
}

/** What the form shows of a channel: everything that is no secret. */
export function valuesOf(name: string, settings: ChannelSettings | null): Record<string, string> {
  if (settings?.type === "email") return { name, addresses: settings.addresses.join("\n") };
  if (settings?.type === "telegram") return { name, chatId: settings.chatId };
  return { name };
}

/** What the form shows when it was refused: what was entered, but for secrets. */
export function enteredValues({ name, addresses, chatId }: ChannelInput): Record<string, string> {
  return { name, addresses: addresses ?? "", chatId: chatId ?? "" };
}
