import { sectionPath } from "./links.ts";

/** `/projects/<id>/settings/channels` */
export function channelsPath(projectId: string): string {
  return `${sectionPath(projectId, "settings")}/channels`;
}

export function channelPath(projectId: string, channelId: string): string {
  return `${channelsPath(projectId)}/${encodeURIComponent(channelId)}`;
}
