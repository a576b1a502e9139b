/** Forms of another organization's pages, and its ids in forms of one's own, as somebody sends them who is not in it. */
import assert from "node:assert/strict";
import { keyOf } from "@/lib/accounts/kv.ts";
import { everyForm, shapeOf } from "@/test/support/every_form.ts";
import { everyPage, type PagePath } from "@/test/support/every_page.ts";
import { createOrganization } from "@/test/support/organizations.ts";
import { person } from "@/test/support/people.ts";
import { type PageForm, sentBy } from "@/test/support/page_forms.ts";
import { differences, storedAbout } from "@/test/support/stored_about.ts";
import { type Acme, acme, type Answer } from "@/test/support/ui_app.ts";

/** Where the other organization's ids begin: told from everything else that is a number. */
const THEIR_IDS = 777_000_000;
const THEIRS = /77700\d{4}|\brival\b|rita@/i;
/** What an address does not say of them. */
const SHOWN = /\bRival\b|rita@/;

/** What differs with each request and with the moment: nonces, ids of requests and forms, times. */
const PASSING =
  /nonce="[^"]*"|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\d-]{10}T[\d:.]+Z|\d\d:\d\d(?::\d\d)?/g;

interface Side {
  readonly app: Acme;
  readonly pages: readonly PagePath[];
  readonly forms: readonly PageForm[];
}

interface Sides extends AsyncDisposable {
  readonly ours: Side;
  readonly theirs: Side;
  /** Their project. */
  readonly projectId: string;
}

/** Two organizations with something of everything, each with an owner who is nobody in the other one. */
async function sides(): Promise<Sides> {
  const app = await acme();
  const ours = await sideOf(app, "Ours", "ann");
  const { kv, sql } = app.services;
  for (const kind of ["organization", "project"] as const) {
    await kv.set(keyOf.sequence(kind), THEIR_IDS);
  }
  await sql`
    select setval(format('%I.%I', schemaname, sequencename)::regclass, ${THEIR_IDS}::bigint)
    from pg_sequences where schemaname = current_schema() and max_value > ${THEIR_IDS}::bigint
  `;
  const theirs = await sideOf(app, "Rival", "rita");
  const projectId = `${THEIR_IDS + 1}`;
  return { ours, theirs, projectId, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() };
}

async function sideOf(app: Acme, name: string, email: string): Promise<Side> {
  const { kv } = app.services;
  const user = await person(kv, email);
  const organization = await createOrganization(kv, { name, ownerId: user.id });
  const owner = app.visitor();
  await owner.signIn(user.email);
  const own = { ...app, organization, owner };
  const pages = await everyPage(own);
  return { app: own, pages, forms: await everyForm(own, pages) };
}

type Sent = [name: string, value: string][];

/** Posts as our owner, who stays signed in. */
async function posted({ app }: Side, path: string, sent: Sent): Promise<Answer> {
  const cookies = [...app.owner.cookies];
  const answer = await app.owner.post(path, sent);
  app.owner.cookies.clear();
  for (const [name, value] of cookies) app.owner.cookies.set(name, value);
  return answer;
}

/** What somebody learns from an answer, without what differs with the moment and with the value that was asked about. */
function learntFrom({ status, location, html }: Answer, value: string): string {
  return `${status} ${location} ${html}`.replaceAll(value, "VALUE")
    .replaceAll(encodeURIComponent(value), "VALUE")
    .replaceAll(PASSING, "");
}

/** Of nothing anywhere, in the form of the other. */
function ofNothing(value: string): string {
  return /^\d+$/.test(value)
    ? "999999999"
    : value.replaceAll(/[0-9a-f]/gi, (c) => c === "1" ? "2" : "1");
}

/** As often is a question asked: a page tells in passing that something could not be read in time. */
const TRIES = 3;

/** Asks the same about theirs and about nothing. @throws {AssertionError} when the answers tell each time which is which */
async function assertAlike(
  what: string,
  value: string,
  ask: (value: string) => Promise<Answer>,
): Promise<void> {
  for (let left = TRIES;; left--) {
    const learnt = learntFrom(await ask(value), value);
    const nothing = learntFrom(await ask(ofNothing(value)), ofNothing(value));
    if (learnt === nothing) return;
    if (left === 1) assert.fail(`${what}: ${firstDifference(learnt, nothing)}`);
  }
}

/** Where two texts part: a page is longer than what is shown of a failure. */
function firstDifference(one: string, other: string): string {
  let place = 0;
  while (place < one.length && one[place] === other[place]) place++;
  const around = (text: string) => text.slice(Math.max(place - 200, 0), place + 200);
  return `${around(one)}\n  in place of\n${around(other)}`;
}

/** The pattern of a page, for addresses of either. */
function patternOf({ pages }: Side, path: string): string {
  const [pathname = ""] = path.split("?");
  return pages.find((page) => page.path.split("?")[0] === pathname)?.pattern ?? pathname;
}

/** Alike for the same form of either. */
function pairOf(side: Side, { path, fields }: PageForm): string {
  const named = fields.map((field) => ({ ...field, name: field.name.replace(/\.\d+$/, "") }));
  return shapeOf({ path: patternOf(side, path), fields: named });
}

Deno.test("whatever of another organization a form names, it is answered as if there were none, and changes nothing there", async (t) => {
  await using both = await sides();
  const { ours, theirs, projectId } = both;
  const { services } = ours.app;
  const before = await storedAbout(services, [projectId], THEIRS);
  await t.step("their forms", async () => {
    const forms = theirs.forms.filter(({ path }) => THEIRS.test(path));
    assert.ok(forms.length > 100);
    for (const form of forms) {
      const { status, html } = await posted(ours, form.path, sentBy(form));
      assert.equal(status, 404, shapeOf(form));
      assert.doesNotMatch(html, SHOWN, shapeOf(form));
    }
  });
  await t.step("their ids in addresses of ours", async () => {
    for (const { pattern, path } of ours.pages) {
      const [pathname = ""] = path.split("?");
      const their = theirs.pages.find((page) => page.pattern === pattern)?.path.split(/[/?]/) ?? [];
      const forms = ours.forms.filter((form) => form.path.split("?")[0] === pathname);
      for (const [place, name] of pattern.split("/").entries()) {
        const id = their[place] ?? "";
        if (!name.startsWith("[") || id === pathname.split("/")[place]) continue;
        const address = (id: string) => pathname.split("/").with(place, id).join("/");
        await assertAlike(`${pattern} ${name}`, id, (id) => ours.app.owner.get(address(id)));
        for (const form of forms) {
          const what = `${shapeOf(form)} ${name}`;
          await assertAlike(what, id, (id) => posted(ours, address(id), sentBy(form)));
        }
      }
    }
  });
  await t.step("their ids in fields of ours", async () => {
    let tried = 0;
    for (const form of ours.forms) {
      const pair = theirs.forms.find((each) => pairOf(theirs, each) === pairOf(ours, form));
      assert.ok(pair, shapeOf(form));
      for (const name of new Set(form.fields.map(({ name }) => name))) {
        const choices = ({ fields }: PageForm) =>
          fields.flatMap((field) => field.name === name ? field.choices : []);
        const own = new Set(["", ...choices(form)]);
        for (const id of choices(pair)) {
          if (own.has(id)) continue;
          const ask = (id: string) => posted(ours, form.path, [...sentBy(form, name), [name, id]]);
          await assertAlike(`${shapeOf(form)}: ${name}`, id, ask);
          tried++;
        }
      }
    }
    assert.ok(tried > 50, String(tried));
  });
  assert.deepEqual(differences(before, await storedAbout(services, [projectId], THEIRS)), []);
  await t.step("pages of ours", async () => {
    for (const { path } of ours.pages) {
      const { html } = await ours.app.owner.get(path);
      assert.doesNotMatch(html, SHOWN, path);
    }
  });
});
