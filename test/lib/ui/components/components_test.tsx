import assert from "node:assert/strict";
import { BarChart, Sparkline } from "@/lib/ui/charts/bar_chart.tsx";
import {
  checkConfirmation,
  ConfirmByName,
  Field,
  FormSummary,
} from "@/lib/ui/components/fields.tsx";
import { CodeBlock } from "@/lib/ui/components/code_block.tsx";
import { PageList } from "@/lib/ui/components/page.tsx";
import { ValueTable } from "@/lib/ui/value_table.tsx";
import { Count, RelativeTime } from "@/lib/ui/components/values.tsx";
import { LevelBadge, StatusBadge } from "@/lib/ui/components/badge.tsx";
import { Pagination, Table, TablePanel } from "@/lib/ui/components/table.tsx";
import { LEVELS } from "@/lib/records/mod.ts";
import { rendered } from "@/test/support/rendered.ts";

Deno.test("a field tells assistive technology of its help and its error", async () => {
  const html = await rendered(
    <Field name="email" idPrefix="a-" label="Mail" help="Yours." error="Enter one." />,
  );
  assert.match(html, /<label for="field-a-email"/);
  assert.match(html, /aria-describedby="field-a-email-error field-a-email-help"/);
  assert.match(html, /aria-invalid="true"/);
  assert.doesNotMatch(await rendered(<Field name="email" label="Mail" />), /aria-\w+="/);
});

Deno.test("an error summary links to the fields, and is nothing without errors", async () => {
  const html = await rendered(<FormSummary errors={{ name: "Enter a name.", "": "Busy." }} />);
  assert.match(html, /role="alert".*<a href="#field-name"[^>]*>Enter a name\.<\/a>.*Busy\./s);
  assert.doesNotMatch(await rendered(<FormSummary errors={{}} />), /role="alert"/);
});

Deno.test("a level and a status have a word and a shape, never colour alone", async () => {
  for (const level of LEVELS) {
    assert.match(
      await rendered(<LevelBadge level={level} />),
      new RegExp(`<svg.*</svg>${level}`, "s"),
    );
  }
  assert.match(
    await rendered(<StatusBadge status="unresolved" substatus="regressed" />),
    /regressed/,
  );
  assert.match(await rendered(<StatusBadge status="resolved" substatus="regressed" />), /resolved/);
});

Deno.test("numbers and times show the exact value on hover, and a dash for none", async () => {
  assert.match(
    await rendered(<Count value={12_345} unit="{n} event|{n} events" />),
    /title="12,345 events">12\.3k</,
  );
  assert.match(await rendered(<Count value={null} />), /–/);
  const now = new Date("2026-11-21T12:00:00Z");
  assert.match(
    await rendered(<RelativeTime date={new Date("2026-11-21T11:57:00Z")} now={now} />),
    /datetime="2026-11-21T11:57:00\.000Z" title="2026-11-21 11:57:00 UTC"[^>]*>3 min ago</,
  );
  assert.match(await rendered(<RelativeTime date={null} />), /–/);
});

Deno.test("a sparkline says its figures in words and draws a bar for every non-zero count", async () => {
  const html = await rendered(<Sparkline counts={[0, 1, 1000]} label="{n} error|{n} errors" />);
  assert.match(html, /aria-label="1,001 errors, at most 1,000 in one bar"/);
  assert.equal(html.match(/class="fill-series-1"/g)?.length, 2);
});

Deno.test("a bar chart has the same figures in a table, and says so when there are none", async () => {
  const start = new Date("2026-11-21T10:00:00Z");
  const end = new Date("2026-11-21T13:00:00Z");
  const chart = (counts: number[]) =>
    rendered(
      <BarChart
        title="Events"
        unit="{n} event|{n} events"
        bucketSec={3600}
        {...{ start, end, counts }}
      />,
    );
  const html = await chart([3, 0, 4]);
  assert.match(html, /7 events · 1 hour a bar/);
  assert.match(html, /<title>2026-11-21 12:00 UTC: 4 events<\/title>/);
  assert.equal(html.match(/<td/g)?.length, 4, "two rows of two cells: zeros are left out");
  const empty = await chart([0, 0]);
  assert.match(empty, /No events in this time/);
  assert.doesNotMatch(empty, /<table/);
});

Deno.test("bars show their parts, of which even a small one is seen", async () => {
  const html = await rendered(
    <BarChart
      title="Logs"
      unit="{n} log|{n} logs"
      start={new Date("2026-11-21T10:00:00Z")}
      end={new Date("2026-11-21T12:00:00Z")}
      bucketSec={3600}
      counts={[1_000, 0]}
      parts={[
        { label: "error", counts: [1, 0], class: "fill-danger-fill" },
        { label: "info", counts: [999, 0], class: "fill-info-fill" },
      ]}
    />,
  );
  assert.match(html, /y="98" width="8.5" height="2" class="fill-danger-fill"/);
  assert.match(html, /y="0" width="8.5" height="98" class="fill-info-fill"/);
  assert.match(html, /1,000 logs\nerror 1\ninfo 999<\/title>/);
  assert.equal(html.match(/<td/g)?.length, 4, "the whole and its parts");
});

Deno.test("a bar chart ends when its time ends, not when its last bucket does", async () => {
  const start = new Date("2026-11-21T10:00:00Z");
  const html = await rendered(
    <BarChart
      title="Events"
      unit="{n} event|{n} events"
      start={start}
      end={new Date("2026-11-21T16:00:00Z")}
      bucketSec={4 * 3600}
      counts={[3, 4]}
    />,
  );
  assert.match(html, /viewBox="0 0 15 100"/);
  assert.match(html, /<text x="83\.333%"[^>]*>15:00<.*>UTC</s);
  const widths = [...html.matchAll(/x="(\d+)" width="(\d+)"/g)].map(([, x, width]) => [x, width]);
  assert.deepEqual(widths, [["0", "10"], ["10", "5"]]);
});

Deno.test("a sorted column says how, and its header links to the other order", async () => {
  const html = await rendered(
    <Table
      caption="Issues"
      columns={[{ label: "Events", sort: { href: "?sort=events", direction: "descending" } }]}
    >
      {null}
    </Table>,
  );
  assert.match(html, /aria-sort="descending"[^>]*><a href="\?sort=events"/);
});

Deno.test("the first page has no link backwards", async () => {
  const html = await rendered(<Pagination previousHref={null} nextHref="?cursor=x" />);
  assert.equal(html.match(/<a /g)?.length, 1);
  assert.match(html, /<a href="\?cursor=x" rel="next"/);
});

const CODE = "a\n<script>b";

Deno.test("code is escaped", async () => {
  const html = await rendered(
    <CodeBlock id="c" label="x" language="javascript" code={CODE} />,
  );
  assert.doesNotMatch(html, /<script>b/);
});

Deno.test("a dangerous action is closed until asked for, and open with its error", async () => {
  const confirm = (error?: string) =>
    rendered(
      <ConfirmByName
        name="Shop"
        action="Delete"
        consequence="All is gone."
        idPrefix="d-"
        fields={{ action: "delete" }}
        error={error}
      />,
    );
  assert.doesNotMatch(await confirm(), /<details open/);
  assert.match(await confirm("No."), /<details open.*value="delete".*No\./s);
});

Deno.test("checkConfirmation() wants the very name", () => {
  const check = (typed: string) =>
    checkConfirmation(new URLSearchParams({ confirm: typed }), "Shop");
  assert.equal(check(" Shop "), null);
  assert.match(check("shop") ?? "", /This is not the name/);
  assert.match(checkConfirmation(new URLSearchParams(), "Shop") ?? "", /This is not the name/);
});

Deno.test("a panel of rows shows the first of them and tells of the rest, or why there are none", async () => {
  const panel = (rows: readonly number[]) =>
    rendered(
      <TablePanel
        title="Squares"
        none="There are none."
        rows={rows}
        limit={2}
        rest={(total) => `2 of ${total}.`}
        rowKey={(row) => row}
        columns={[{ label: "Square", align: "right", class: "wide", cell: (row) => row * row }]}
      />,
    );

  const full = await panel([5, 7, 9]);
  assert.match(full, /<th[^>]*text-right wide[^>]*>Square.*25.*49.*2 of 3\./s);
  assert.match(full, /<td[^>]*text-right[^>]* wide"[^>]*>25/);
  assert.doesNotMatch(full, /81|There are none/);
  assert.doesNotMatch(await panel([5, 7]), /2 of/);
  assert.match(await panel([]), /There are none\./);
});

Deno.test("a list of pages is a landmark of links of which one is current, beside the page itself", async () => {
  const html = await rendered(
    <PageList
      label="Settings of the project"
      tabs={[
        { href: "/settings", label: "General", isCurrent: false },
        { href: "/settings/keys", label: "Keys", isCurrent: true },
      ]}
    >
      <p>The page</p>
    </PageList>,
  );
  assert.match(html, /<nav aria-label="Settings of the project"/);
  const links = [...html.matchAll(/<a href="([^"]+)"( aria-current="page")?[^>]*>(\w+)</g)];
  assert.deepEqual(links.map(([, href, current, label]) => [href, current !== undefined, label]), [
    ["/settings", false, "General"],
    ["/settings/keys", true, "Keys"],
  ]);
  assert.match(html, /<\/nav><div[^>]*><p>The page<\/p>/);
});

Deno.test("a value without a name has one all the same: a row without a head is read as nothing", async () => {
  const html = await rendered(<ValueTable label="Tags" entries={[["", "a"], ["key", ""]]} />);
  assert.match(html, /<th[^>]*>\(empty\)<\/th>/);
  assert.match(html, /<th[^>]*>key<\/th><td[^>]*><span[^>]*>–</);
});
