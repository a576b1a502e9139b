import { RequestCount } from "./endpoint_panels.tsx";
import { t } from "../../core/language/translate.ts";
import type { PageScope, PageView } from "../../releases/request_scope.ts";
import { colorNames } from "../../ui/charts/chart_data.ts";
import { Segments } from "../../ui/charts/share_bar.tsx";
import { FailureShare } from "../../ui/components/values.tsx";
import {
  formatCount,
  formatDuration,
  formatPercent,
  formatRate,
  NONE,
  withDecimalMark,
} from "../../ui/format.ts";
import { ChoiceLinks, sortingText } from "../../ui/sorted_list.tsx";
import { LastSeen, StatListPage } from "../list_parts.tsx";
import {
  ENDPOINT_COLUMNS,
  type EndpointList,
  type EndpointRow,
  PROTOCOL_WORDS,
  STATUS_CLASSES,
} from "./load_endpoints.ts";
import { endpointHref } from "../../ui/links.ts";

export type EndpointListView = EndpointList & PageView;

/** All HTTP endpoints that the services of a project serve. */
export function EndpointListPage(view: EndpointListView) {
  const { pageScope, sorting, query, method, methods } = view;
  return (
    <StatListPage
      {...view}
      section="endpoints"
      what="endpoints"
      keep={{ query, method, sort: sortingText(sorting) }}
      description={t(
        "HTTP endpoints that your services serve, from Sentry's SDKs and OpenTelemetry alike.",
      )}
      placeholder={t("Part of a route; * stands for anything")}
      isSearched={query !== "" || method !== ""}
      head={(form, hrefOf) => (
        <>
          {form}
          {(methods.length > 1 || method !== "") && (
            <ChoiceLinks
              label={t("Methods")}
              choices={["", ...methods]}
              chosen={method}
              hrefOf={(each) => hrefOf({ method: each })}
            />
          )}
        </>
      )}
      caption={t("HTTP endpoints")}
      columns={ENDPOINT_COLUMNS}
      rowKey={({ key }) => key}
      cells={{
        endpoint: (row) => <EndpointName pageScope={pageScope} row={row} />,
        requests: ({ requests }) => <RequestCount requests={requests} />,
        rpm: ({ perMinute }) => formatRate(perMinute),
        answers: ({ answers }) => <AnswerBar answers={answers} />,
        errors: ({ failureRate }) => <FailureShare rate={failureRate} />,
        p50: ({ p50 }) => formatDuration(p50),
        p95: ({ p95 }) => formatDuration(p95),
        p99: ({ p99 }) => formatDuration(p99),
        apdex: ({ apdex }) => apdex === null ? NONE : withDecimalMark(apdex.toFixed(2)),
        seen: ({ lastSeen }) => <LastSeen period={lastSeen} pageScope={pageScope} />,
      }}
    >
      <p class="mt-2 text-sm text-muted">
        {t("Errors are responses with a status from 500 on, and failed requests without a status.")}
      </p>
    </StatListPage>
  );
}

function EndpointName(
  { pageScope: { project, scope }, row }: {
    readonly pageScope: PageScope;
    readonly row: EndpointRow;
  },
) {
  const { method, route, routes, services, protocols } = row;
  const sources = protocols.map((protocol) => PROTOCOL_WORDS[protocol] ?? protocol);
  const facts = [services.join(", "), sources.join(", ")].filter((fact) => fact !== "");
  return (
    <>
      <a
        class="row-link flex min-w-0 items-baseline gap-1.5 font-medium"
        title={routes.map((each) => `${method} ${each}`).join("\n")}
        href={endpointHref(project.id, scope, row.key)}
      >
        <MethodBadge method={method} />
        <bdi class="min-w-0 truncate">{route}</bdi>
      </a>
      <span class="block truncate text-meta text-muted" title={facts.join(" · ")}>
        {facts.join(" · ")}
      </span>
    </>
  );
}

/** Status classes of requests: a bar, and below it the count of each class that occurred. */
function AnswerBar({ answers }: { readonly answers: readonly number[] }) {
  const total = answers.reduce((sum, each) => sum + each, 0);
  const classes = STATUS_CLASSES.map(({ label, words, color }, place) => {
    const requests = answers[place] ?? 0;
    const share = total === 0 ? 0 : requests / total;
    return {
      label: label === "none" ? t("no status") : label,
      requests: Math.round(requests),
      share,
      words: t(words, { n: Math.round(requests), share: formatPercent(share) }),
      fill: colorNames(color, place).fill,
    };
  }).filter(({ share }) => share > 0);
  return (
    <div class="w-40">
      <Segments segments={classes} />
      <ul class="flex gap-x-2 overflow-hidden text-meta whitespace-nowrap text-muted tabular-nums">
        {classes.map(({ label, requests, words }) => (
          <li key={label} title={words}>{`${label} ${formatCount(requests)}`}</li>
        ))}
      </ul>
    </div>
  );
}

/** An HTTP method, as wide as most of them are. */
function MethodBadge({ method }: { readonly method: string }) {
  return (
    <span class="inline-block min-w-12 shrink-0 rounded-sm bg-sunken px-1.5 text-center font-mono text-meta font-medium text-muted">
      {method}
    </span>
  );
}
