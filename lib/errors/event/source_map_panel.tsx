import { Button } from "../../ui/components/button.tsx";
import { Icon } from "../../ui/components/icon.tsx";
import { Panel } from "../../ui/components/panel.tsx";
import { visible } from "../../ui/json.ts";
import type { MappedFile, NamedMapping, SourceMapsView } from "./source_maps.ts";
import { rich, t } from "../../core/language/translate.ts";

interface SourceMapPanelProps {
  readonly sourceMaps: SourceMapsView;
  /** Where the button posts to, and where it comes back; null for who may only look. */
  readonly form: { readonly action: string; readonly back: string } | null;
}

/** Which file has a map, which has none and why, and what to do about it. */
export function SourceMapPanel({ sourceMaps, form }: SourceMapPanelProps) {
  const { files, mappings, named } = sourceMaps;
  const isComplete = files.every(({ mapped, frames }) => mapped === frames);
  return (
    <Panel
      id="source-maps"
      title={files.length === 0 ? t("ProGuard mapping") : t("Source maps")}
      actions={form && (
        <form method="post" action={form.action}>
          <input type="hidden" name="back" value={form.back} />
          <Button size="sm" name="action" value="map-again">{t("Map again")}</Button>
        </form>
      )}
    >
      <ul class="divide-y divide-line">
        {files.map((file) => <FileRow key={file.path} file={file} />)}
        {mappings.map((mapping) => (
          <MappingRow
            key={mapping.uuid}
            mapping={mapping}
            named={named}
          />
        ))}
      </ul>
      {!isComplete && <Help />}
      {mappings.some(({ reason }) => reason !== "") && <MappingHelp />}
    </Panel>
  );
}

function FileRow({ file }: { readonly file: MappedFile }) {
  const { path, debugId, mapped, frames, reason } = file;
  const isMapped = mapped === frames;
  return (
    <li class="flex gap-2 py-2 text-sm first:pt-0 last:pb-0">
      <Icon
        name={isMapped ? "check" : "warning"}
        class={`mt-0.5 shrink-0 ${isMapped ? "text-ok" : "text-warning"}`}
      />
      <div class="min-w-0">
        <p class="font-mono wrap-anywhere" dir="ltr">{visible(path)}</p>
        <p class="text-meta text-muted">
          {t("{mapped} of {n} frame mapped|{mapped} of {n} frames mapped", { mapped, n: frames })}
          {" · "}
          {debugId === "" ? t("no debug id") : rich("debug id {debugId}", {
            debugId: <span class="font-mono wrap-anywhere">{debugId}</span>,
          })}
        </p>
        {reason !== "" && <p class="mt-0.5 wrap-anywhere">{visible(reason)}</p>}
      </div>
    </li>
  );
}

function MappingRow({ mapping: { uuid, reason }, named }: {
  readonly mapping: NamedMapping;
  readonly named: number;
}) {
  const isThere = reason === "";
  return (
    <li class="flex gap-2 py-2 text-sm first:pt-0 last:pb-0">
      <Icon
        name={isThere ? "check" : "warning"}
        class={`mt-0.5 shrink-0 ${isThere ? "text-ok" : "text-warning"}`}
      />
      <div class="min-w-0">
        <p class="font-mono wrap-anywhere">{uuid}</p>
        {isThere
          ? (
            <p class="text-meta text-muted">
              {t(
                "{n} frame has its name in the source|{n} frames have their name in the source",
                { n: named },
              )}
            </p>
          )
          : <p class="mt-0.5 wrap-anywhere">{visible(reason)}</p>}
      </div>
    </li>
  );
}

function MappingHelp() {
  return (
    <p class="mt-3 border-t border-line pt-3 text-sm text-muted">
      {rich(
        "<code>sentry-cli upload-proguard --uuid UUID mapping.txt</code> sends the mapping of a build; Sentry's Gradle plugin does it by itself. Events of the last day are named when it comes, older ones by <em>Map again</em>.",
        {
          code: (words) => <code class="wrap-anywhere">{words}</code>,
          em: (words) => <em>{words}</em>,
        },
      )}
    </p>
  );
}

/** The usual reasons, in the order in which they are worth looking at. */
function Help() {
  return (
    <details class="mt-3 border-t border-line pt-3 text-sm">
      <summary class="link w-fit">{t("Why is it minified?")}</summary>
      <ol class="mt-2 list-decimal space-y-1 pl-5 text-muted">
        <li>
          {t(
            "Deploy the very files that were uploaded: the upload writes a debug id into each of them, and a second build has other ids.",
          )}
        </li>
        <li>
          {rich(
            "Without debug ids, <code>release</code> and <code2>dist</code2> must be the same in the SDK and in the upload, and the URL of each file must be the one that browsers load.",
            { code: (words) => <code>{words}</code>, code2: (words) => <code>{words}</code> },
          )}
        </li>
        <li>
          {rich(
            "Upload before the build step that deletes the maps, and check that the build makes maps with their sources (<code>sourcesContent</code>).",
            { code: (words) => <code>{words}</code> },
          )}
        </li>
        <li>
          {rich(
            "Events of the last day are mapped by themselves when their map comes; older ones by <em>Map again</em>.",
            { em: (words) => <em>{words}</em> },
          )}
        </li>
      </ol>
      <p class="mt-2 text-muted">
        {rich("More in <code>docs/why-minified.md</code>.", {
          code: (words) => <code>{words}</code>,
        })}
      </p>
    </details>
  );
}
