import { type Message, t } from "../core/language/translate.ts";
import type { ComponentProps } from "preact";
import { Button, LinkButton } from "../ui/components/button.tsx";
import { CodeBlock } from "../ui/components/code_block.tsx";
import { Field, HiddenFields } from "../ui/components/fields.tsx";
import { Icon } from "../ui/components/icon.tsx";
import { EmptyState } from "../ui/components/panel.tsx";
import { type Params, queryHref, sectionPath, without } from "../ui/links.ts";
import { type ProfilingParams, profilingParams } from "./params.ts";

interface SelectionFormProps {
  /** Of the page. */
  readonly path: string;
  /** Parameters of the page that are not of the selection. */
  readonly hidden: Params;
  readonly params: ProfilingParams;
  /** As the address has it, right or wrong. */
  readonly query: URLSearchParams;
}

/** Parameters that the form writes. */
const WRITTEN = ["transaction", "label", "trace"];
/** Parameters that only links write, and what they are called. */
const LINKED: readonly (readonly [name: string, label: Message])[] = [
  ["span", "Span"],
  ["profiler", "Profiler"],
  ["thread", "Thread"],
];

/** Which profiles are looked at, beside the scope: those of a transaction, with labels, of a trace. */
export function SelectionForm({ path, hidden, params, query }: SelectionFormProps) {
  const all = profilingParams(params);
  const kept = [...hidden, ...without(all, ...WRITTEN)];
  const { errors, transaction, labels, traceId } = params;
  const isUsed = transaction !== "" || labels.length > 0 || traceId !== null ||
    WRITTEN.some((name) => errors[name] !== undefined);
  return (
    <>
      <details open={isUsed} class="group/selection rounded-lg border border-line bg-surface">
        <summary class="flex cursor-pointer items-center gap-2 px-4 py-2 text-sm font-medium">
          <Icon
            name="chevron-right"
            size={14}
            class="text-muted transition-transform group-open/selection:rotate-90"
          />
          {t("Choose profiles by transaction, label or trace")}
        </summary>
        <form
          method="get"
          action={path}
          role="search"
          aria-label={t("Which profiles")}
          class="grid items-start gap-3 border-t border-line p-4 sm:grid-cols-2 lg:grid-cols-[1fr_1fr_1fr_auto]"
        >
          <HiddenFields pairs={kept} />
          <Field
            name="transaction"
            label={t("Transaction")}
            value={query.get("transaction") ?? ""}
            maxLength={200}
            help={t("Its whole name")}
          />
          <Field
            name="label"
            label={t("Labels")}
            value={query.getAll("label").join("\n")}
            rows={2}
            placeholder={t("handler=checkout")}
            help={t("One key=value a line")}
            error={errors.label}
            mono
          />
          <Field
            name="trace"
            label={t("Trace")}
            value={query.get("trace") ?? ""}
            placeholder={t("32 hex digits")}
            error={errors.trace}
            mono
          />
          <div class="flex items-center gap-3 sm:pt-6.5">
            <Button>{t("Choose")}</Button>
            {isUsed && <a class="link text-sm" href={queryHref(path, kept)}>{t("Reset")}</a>}
          </div>
        </form>
      </details>
      <Linked path={path} hidden={hidden} all={all} />
    </>
  );
}

/** What links have narrowed, each with a way out. */
function Linked({ path, hidden, all }: {
  readonly path: string;
  readonly hidden: Params;
  readonly all: Params;
}) {
  const found = LINKED.flatMap(([name, label]) => {
    const value = all.find(([each]) => each === name)?.[1];
    return value === undefined ? [] : [{ name, label: t(label), value }];
  });
  if (found.length === 0) return null;
  return (
    <ul class="flex flex-wrap gap-2 text-sm" aria-label={t("Narrowed to")}>
      {found.map(({ name, label, value }) => (
        <li key={name} class="flex min-w-0 items-center gap-2 rounded-md border border-accent px-2">
          <span class="min-w-0 truncate">
            {label} <code>{value}</code>
          </span>
          <a
            class="link"
            href={queryHref(path, [...hidden, ...without(all, name)])}
          >
            {t("remove")}
            <span class="sr-only">{label}</span>
          </a>
        </li>
      ))}
    </ul>
  );
}

interface NoProfilesProps {
  readonly projectId: string;
  /** The scope or a filter narrows what is looked for. */
  readonly isNarrowed: boolean;
  /** What to run, with the key filled in, from the setup page. */
  readonly snippet: string;
}

/** In place of everything: why there are no profiles, and what would send some. */
export function NoProfiles({ projectId, isNarrowed, snippet }: NoProfilesProps) {
  const setup = `${sectionPath(projectId, "setup")}?platform=profiling`;
  if (isNarrowed) {
    return (
      <EmptyBox
        icon="search"
        title={t("No profiles match")}
        actions={
          <LinkButton href={sectionPath(projectId, "profiling")}>
            {t("Show all profiles of the last 14 days")}
          </LinkButton>
        }
      >
        {t("None came in this time and scope that are as the filters ask.")}
      </EmptyBox>
    );
  }
  return (
    <EmptyBox
      icon="profiling"
      title={t("No profiles in this time")}
      actions={<LinkButton href={setup}>{t("Open the setup page")}</LinkButton>}
    >
      {t(
        "They tell where your code spends time and memory. Any pprof is taken, as Go serves it itself, and so are profiles of Sentry's SDKs, of OpenTelemetry and of Pyroscope's agents:",
      )}
      <div class="mt-3 text-left">
        <CodeBlock
          id="profiling-snippet"
          label={t("How to send a profile")}
          language="bash"
          code={snippet}
        />
      </div>
    </EmptyBox>
  );
}

/** There are no profiles of this type, or none that can be read. */
export function NothingMerged({ left }: { readonly left: number }) {
  return (
    <EmptyBox icon="profiling" title={t("No profiles of this type")}>
      {left > 0
        ? t("There are some in the index, but none of them can be read from the object store.")
        : t("None came in this time and scope. Another type, service or time may have some.")}
    </EmptyBox>
  );
}

/** Says in a box of its own why there is nothing. */
export function EmptyBox(props: ComponentProps<typeof EmptyState>) {
  return (
    <div class="rounded-lg border border-line bg-surface">
      <EmptyState {...props} />
    </div>
  );
}
