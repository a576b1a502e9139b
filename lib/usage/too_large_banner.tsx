import type { TooLarge } from "./outcomes.ts";
import { Alert } from "../ui/components/alert.tsx";
import { CopyButton } from "../ui/components/copy_button.tsx";
import { formatExact } from "../ui/format.ts";
import { categoryWord } from "./words.ts";

export interface TooLargeBannerProps {
  readonly project: { readonly id: string; readonly name: string };
  /** Of this project, the most first; not empty. */
  readonly lost: readonly TooLarge[];
}

/** What OpenTelemetry's exporters read: by default they send 512 spans at once, and nothing compressed. */
const COMPRESSION = "OTEL_EXPORTER_OTLP_COMPRESSION=gzip";
const BATCH_SIZES: Readonly<Record<string, string>> = {
  span: "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=128",
  log_item: "OTEL_BLRP_MAX_EXPORT_BATCH_SIZE=128",
};

/** Says on a project's pages that it loses what is sent in requests that are too large, and what to set. */
export function TooLargeBanner({ project, lost }: TooLargeBannerProps) {
  const total = lost.reduce((sum, { quantity }) => sum + quantity, 0);
  const verb = total === 1 ? "was" : "were";
  const sizes = lost.flatMap(({ category }) => BATCH_SIZES[category] ?? []);
  const id = `too-large-${project.id}`;
  return (
    <Alert
      kind="warning"
      class="mb-4"
      title={`${project.name}: ${
        lost.map(amountOf).join(", ")
      } ${verb} refused as too large in the last hour`}
    >
      {sizes.length === 0 ? "Send less in one request, or compress it. " : (
        <>
          Set this where the application is started:
          <div class="my-1 flex items-start gap-2">
            <pre
              id={id}
              class="min-w-0 overflow-x-auto text-sm"
            >{[COMPRESSION, ...sizes].join("\n")}</pre>
            <CopyButton target={id} what="settings" isCompact />
          </div>
        </>
      )}
      <a class="link" href={`/projects/${project.id}/settings/keys#doctor`}>See the requests</a>
    </Alert>
  );
}

/** `about 742 spans`: what nobody unpacked is estimated. */
function amountOf({ category, quantity }: TooLarge): string {
  const items = category === "unknown" ? "requests" : categoryWord(category).toLowerCase();
  return quantity === 1
    ? `1 ${items.replace(/s$/, "")}`
    : `about ${formatExact(quantity)} ${items}`;
}
