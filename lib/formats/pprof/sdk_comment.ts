/** The comment of profiles that are made of what SDKs send, whose mappings are modules of the program. */
export const SDK_COMMENT = "watchpost:sdk";
