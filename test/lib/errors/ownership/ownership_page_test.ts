import assert from "node:assert/strict";
import { addTeamProject, createTeam } from "@/lib/accounts/teams.ts";
import { failure, shop } from "@/test/support/shop.ts";
import { newEventId } from "@/test/support/error_event.ts";
import { textOf } from "@/test/support/ui_app.ts";

async function page() {
  const app = await shop();
  const { kv } = app.services;
  const team = await createTeam(kv, { organizationId: app.organization.id, name: "Checkout" });
  await addTeamProject(kv, team, app.projectId);
  const path = `/projects/${app.projectId}/settings/ownership`;
  const read = async (search = "") => textOf((await app.owner.get(path + search)).html);
  const send = async (fields: Record<string, string>) => {
    const answer = await app.owner.post(path, fields);
    return { ...answer, text: textOf(answer.html) };
  };
  return { app, path, read, send, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

Deno.test("the page begins with lines to copy, and keeps rules that are right", async () => {
  await using world = await page();
  assert.match(await world.read(), /No rules yet: lines to begin with/);
  const sent = await world.send({ action: "save", raw: "cart.* #checkout", autoAssignment: "off" });
  assert.equal(sent.status, 303);
  const text = await world.read();
  assert.match(text, /cart\.\* #checkout/);
  assert.doesNotMatch(text, /No rules yet/);
});

Deno.test("a mistake is shown with its line, and nothing is lost of what was entered", async () => {
  await using world = await page();
  const sent = await world.send({
    action: "save",
    raw: "cart.* #checkout\n<b>nobody</b>",
    autoAssignment: "suspect",
  });
  assert.equal(sent.status, 422);
  assert.match(sent.text, /Line 2, column 14: An owner is missing/);
  assert.ok(sent.html.includes("&lt;b>nobody") || sent.html.includes("&lt;b&gt;nobody"));
  assert.match(sent.html, /value="suspect" selected/);
  const strangers = await world.send({ action: "save", raw: "a #x", autoAssignment: "off" });
  assert.match(strangers.text, /Invalid rule owners: #x/);
});

Deno.test("a CODEOWNERS file is saved with its names, its dropped lines are listed, and it is removed", async () => {
  await using world = await page();
  const saved = await world.send({
    action: "save-file",
    raw: "*.js @mona @gone\n!x @mona",
    codeMappingId: "",
    names: "@mona #checkout",
  });
  assert.equal(saved.status, 303);
  const text = await world.read();
  assert.match(text, /1 rule of/);
  assert.match(text, /@gone: say below whom they are/);
  assert.match(text, /1 line of the file is no rule/);
  assert.match(text, /has no meaning in CODEOWNERS/);
  const wrong = await world.send({ action: "save-file", raw: "* @x", names: "@mona" });
  assert.match(wrong.text, /Line 1: enter a name, a blank/);
  assert.equal((await world.send({ action: "remove-file" })).status, 303);
  assert.doesNotMatch(await world.read(), /no rule of|@gone/);
});

Deno.test("rules are tried on an event, a path, an address and a tag", async () => {
  await using world = await page();
  const raw = "* olga@example.com\ncart.* #checkout\nurl:https://shop.example/* #checkout\n" +
    "tags.area:search #checkout";
  await world.send({ action: "save", raw, autoAssignment: "off" });
  const eventId = newEventId();
  await world.app.store(failure("one", { eventId }));
  const tried = (text: string) => world.read(`?try=${encodeURIComponent(text)}`);
  assert.match(await tried(eventId), /#checkout owns it, by line 2 of the rules/);
  assert.match(await tried("src/else.ts"), /olga@example\.com owns it, by line 1/);
  assert.match(await tried("https://shop.example/x"), /#checkout owns it, by line 3/);
  assert.match(await tried("tags.area:search"), /#checkout owns it, by line 4/);
  assert.match(await tried("tags.area:other"), /No rule matches/);
  assert.match(await tried("f".repeat(32)), /This event does not exist/);
});
