import { z } from "zod";
import { CHANNEL_TYPES } from "./channels.ts";
import type { ChannelInput } from "./manage_channels.ts";

const settings = {
  /** Of mail. */
  addresses: z.array(z.string()).optional(),
  url: z.string().optional(),
  token: z.string().optional(),
  chatId: z.union([z.string(), z.number().int()]).optional(),
  routingKey: z.string().optional(),
};

export const NewChannelBody = z.object({
  type: z.enum(CHANNEL_TYPES),
  name: z.string(),
  ...settings,
});

/** What is absent stays as it is. */
export const ChannelChangesBody = z.object({ name: z.string().optional(), ...settings });

/**
 * What a body says about a channel.
 *
 * @param former name and mail addresses that hold where it says none
 */
export function channelInput(
  body: z.infer<typeof ChannelChangesBody>,
  former: { readonly name: string; readonly addresses: readonly string[] },
): ChannelInput {
  const { name = former.name, addresses = former.addresses, chatId, url, token, routingKey } = body;
  return {
    name,
    addresses: addresses.join("\n"),
    chatId: chatId === undefined ? undefined : String(chatId),
    url,
    token,
    routingKey,
  };
}
