/** The `like` pattern for a text in which `*` stands for any characters and nothing else has a meaning. */
export function likePattern(text: string): string {
  return text.replaceAll(/[\\%_]/g, "\\$&").replaceAll("*", "%");
}
