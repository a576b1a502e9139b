import assert from "node:assert/strict";
import { EMPTY_CONTENT } from "@/lib/dashboards/content.ts";
import { writeDocument } from "@/lib/dashboards/document.ts";
import { type Dashboard, listDashboards, saveDashboard } from "@/lib/dashboards/dashboards.ts";
import { contentOf, EVERYTHING, place, textPanel } from "../../lib/dashboards/panels.ts";
import { dashboardSite, orders } from "../../support/dashboard_site.ts";
import { textOf } from "../../support/ui_app.ts";

const places = ({ content }: Dashboard) =>
  content.panels.map(({ id, place: { x, y, w, h } }) => `${id} ${x},${y} ${w}x${h}`);

Deno.test("panels are moved, sized, copied and removed by plain forms", async () => {
  await using app = await dashboardSite();
  const id = await app.make(contentOf([
    textPanel("p1", place(0, 0, 6, 2), "one"),
    textPanel("p2", place(6, 0, 6, 2), "two"),
  ]));
  let version = 1;
  const press = async (panel: string, action: string) => {
    const fields = { version: String(version++), panel, action };
    const answer = await app.owner.post(`${app.base}/${id}?edit=1`, fields);
    assert.equal(answer.status, 303, action);
    return places(await app.read(id));
  };
  assert.deepEqual(await press("p2", "move:left"), ["p2 0,0 6x2", "p1 6,0 6x2"]);
  assert.deepEqual(await press("p2", "size:wider"), ["p2 0,0 7x2", "p1 6,2 6x2"]);
  assert.deepEqual(await press("p1", "duplicate-panel"), [
    "p2 0,0 7x2",
    "p3 0,2 6x2",
    "p1 6,2 6x2",
  ]);
  assert.deepEqual(await press("p2", "remove-panel"), ["p3 0,0 6x2", "p1 6,0 6x2"]);
  for (const [panel, action] of [["p9", "move:up"], ["p1", "explode"], ["", ""]]) {
    const answer = await app.owner.post(`${app.base}/${id}`, {
      panel: panel ?? "",
      action: action ?? "",
    });
    assert.equal(answer.status, 400);
  }
});

Deno.test("whoever changes what somebody else has changed loses nothing and overwrites nothing", async () => {
  await using app = await dashboardSite();
  const id = await app.make(contentOf([textPanel("p1", place(0, 0, 6, 2), "one")]));
  const { user } = await app.member("admin");
  const theirs = contentOf([
    textPanel("p1", place(0, 0, 6, 2), "theirs"),
    textPanel("p2", place(6, 0, 6, 2), "new"),
  ]);
  const { sql } = app.services;
  await saveDashboard(sql, app.projectId, id, 1, { name: "All", content: theirs }, user.id);

  const fields = { kind: "text", markdown: "mine", w: "6", h: "3", save: "1" };
  const path = `${app.base}/${id}/panels/p1`;
  const refused = await app.owner.post(path, { ...fields, version: "1" });
  assert.equal(refused.status, 409);
  assert.match(textOf(refused.html), /admin changed this dashboard .* while you had it open.*mine/);
  assert.match(refused.html, /name="version" value="2"/);
  assert.equal((await app.read(id)).version, 2);

  const moved = await app.owner.post(`${app.base}/${id}?edit=1`, {
    version: "1",
    panel: "p1",
    action: "size:taller",
  });
  assert.equal(moved.status, 303);
  assert.match(await app.text(`/${id}?edit=1`), /Nothing was changed by you/);

  const settings = await app.owner.post(`${app.base}/${id}/settings`, {
    action: "save",
    version: "1",
    name: "Mine",
  });
  assert.equal(settings.status, 409);
  assert.match(settings.html, /value="Mine"/);

  const again = await app.owner.post(path, { ...fields, version: "2" });
  assert.equal(again.status, 303);
  const { content } = await app.read(id);
  const texts = content.panels.map((panel) => panel.kind === "text" && panel.markdown);
  assert.deepEqual(texts, ["mine", "new"]);
});

Deno.test("a dragged layout is kept unless the dashboard was changed meanwhile", async () => {
  await using app = await dashboardSite();
  const id = await app.make(contentOf([
    textPanel("p1", place(0, 0, 6, 2)),
    textPanel("p2", place(6, 0, 6, 2)),
  ]));
  const send = async (version: number, layout: unknown) => {
    const { status, html } = await app.owner.post(`${app.base}/${id}/layout`, {
      version: String(version),
      layout: typeof layout === "string" ? layout : JSON.stringify(layout),
    });
    return { status, ...JSON.parse(html) };
  };
  const layout = [{ id: "p2", place: place(0, 0, 12, 3) }, { id: "p1", place: place(0, 3, 4, 2) }];
  assert.deepEqual(await send(1, layout), {
    status: 200,
    isSaved: true,
    version: 2,
    sentence: "Saved.",
  });
  assert.deepEqual(places(await app.read(id)), ["p2 0,0 12x3", "p1 0,3 4x2"]);
  const late = await send(1, []);
  assert.deepEqual([late.status, late.isSaved, late.version], [409, false, 2]);
  assert.match(late.sentence, /Olga Owner changed this dashboard .* Your layout is not saved/);
  for (const bad of ["", "{", "[1]", "null", [{ id: "p1", place: { x: "a" } }]]) {
    assert.equal((await send(2, bad)).status, 422, JSON.stringify(bad));
  }
  assert.equal((await app.read(id)).version, 2);
});

Deno.test("what is wrong with a panel stands beside its field", async () => {
  await using app = await dashboardSite();
  const id = await app.make(EMPTY_CONTENT);
  const send = async (fields: Record<string, string>) => {
    const all = { version: "1", save: "1", ...fields };
    const { status, html } = await app.owner.post(`${app.base}/${id}/panels/new`, all);
    assert.equal(status, 422);
    return textOf(html);
  };
  assert.match(await send({ kind: "metrics" }), /Choose a metric/);
  assert.match(await send({ kind: "text", markdown: " " }), /Write something/);
  assert.match(await send({ kind: "errors", search: "level:loud" }), /level:loud: The levels are/);
  assert.match(
    await send({ kind: "text", markdown: "x", title: "y".repeat(201) }),
    /Titles have at most 200/,
  );
  const more = await app.owner.post(`${app.base}/${id}/panels/new`, {
    kind: "metrics",
    "a.metric": "x",
    add: "query",
  });
  assert.equal(more.status, 200);
  assert.match(more.html, /name="b.metric"/);
});

Deno.test("settings change the name and the variables, and delete by name", async () => {
  await using app = await dashboardSite();
  const id = await app.make(EMPTY_CONTENT);
  const path = `${app.base}/${id}/settings`;
  const fields = {
    action: "save",
    version: "1",
    name: "Shop",
    label0: "route",
    label1: "",
    label2: "host",
    value2: "a",
  };
  assert.equal((await app.owner.post(path, fields)).status, 303);
  const { name, content } = await app.read(id);
  assert.deepEqual([name, content.variables], ["Shop", [
    { label: "route", value: "" },
    { label: "host", value: "a" },
  ]]);
  const twice = await app.owner.post(path, { ...fields, version: "2", label1: "route" });
  assert.equal(twice.status, 422);
  assert.match(textOf(twice.html), /There is a variable of this label already/);
  const unsure = await app.owner.post(path, { action: "delete", confirm: "shop?" });
  assert.equal(unsure.status, 422);
  const gone = await app.owner.post(path, { action: "delete", confirm: "Shop" });
  assert.equal(gone.status, 303);
  assert.equal((await app.owner.get(`${app.base}/${id}`)).status, 404);
});

Deno.test("what is exported can be imported, as a file and as text", async () => {
  await using app = await dashboardSite();
  const id = await app.make();
  const exported = await app.owner.get(`${app.base}/${id}/export`);
  assert.equal(exported.headers.get("content-disposition"), 'attachment; filename="all.json"');
  assert.equal(exported.html, writeDocument(await app.read(id)));
  const pasted = await app.owner.post(`${app.base}/new`, { from: "json", json: exported.html });
  const copyId = pasted.location?.split("/").at(-1)?.split("?")[0] ?? "";
  assert.deepEqual((await app.read(copyId)).content, EVERYTHING);

  const form = new FormData();
  form.set("from", "json");
  form.set("file", new File([exported.html], "all.json"));
  const cookie = [...app.owner.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const uploaded = await app.handle(
    new Request(`http://localhost:8000${app.base}/new`, {
      method: "POST",
      body: form,
      headers: { cookie, "sec-fetch-site": "same-origin" },
    }),
  );
  assert.equal(uploaded.status, 303);
  await uploaded.body?.cancel();
  assert.equal((await listDashboards(app.services.sql, app.projectId)).length, 3);
});

Deno.test("what cannot be imported is told in sentences and stays in the form", async () => {
  await using app = await dashboardSite();
  const send = async (json: string) => {
    const { status, html } = await app.owner.post(`${app.base}/new`, { from: "json", json });
    assert.equal(status, 422);
    return textOf(html);
  };
  assert.match(await send("{nonsense"), /This is not JSON.*\{nonsense/);
  assert.match(await send('{"format":"watchpost-dashboard","version":1}'), /name is wrong/);
  assert.equal((await app.owner.post(`${app.base}/new`, { name: "" })).status, 422);
});

Deno.test("what was explored is added to a dashboard or to a new one", async () => {
  await using app = await dashboardSite(orders());
  const asked = "a.metric=shop.orders&a.agg=rate&view=heatmap";
  const form = await app.owner.get(`${app.base}/add?${asked}`);
  assert.match(textOf(form.html), /rate of shop\.orders.*A new one/);
  const fields = { "a.metric": "shop.orders", "a.agg": "rate", "a.by": "way", view: "bars" };
  const nameless = await app.owner.post(`${app.base}/add`, { ...fields, dashboard: "", name: "" });
  assert.equal(nameless.status, 422);
  const first = await app.owner.post(`${app.base}/add`, {
    ...fields,
    dashboard: "",
    name: "Sales",
  });
  const id = /dashboards\/([0-9a-f]+)#panel-p1$/.exec(first.location ?? "")?.[1] ?? "";
  const second = await app.owner.post(`${app.base}/add`, {
    ...fields,
    dashboard: id,
    title: "Again",
  });
  assert.match(second.location ?? "", /#panel-p2$/);
  const [one, two] = (await app.read(id)).content.panels;
  assert.ok(one?.kind === "metrics" && one.view === "bars" && one.queries[0]?.groupBy[0] === "way");
  assert.deepEqual([two?.title, two?.place], ["Again", place(6, 0, 6, 7)]);
  assert.equal((await app.owner.get(`${app.base}/add`)).status, 400);
});
