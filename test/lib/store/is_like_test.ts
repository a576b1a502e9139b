import assert from "node:assert/strict";
import { isLike } from "@/lib/store/query_limits.ts";
import { testDatabase } from "../../support/database.ts";

const TEXTS = ["Paid 4711", "paid", "Оплачено 4711", "ОПЛАЧЕНО", "Straße PAID", "100%", "", null];

Deno.test("texts are found as `ilike` finds them, of one language or of several", async () => {
  await using database = await testDatabase({ isEmpty: true });
  const { sql } = database;
  for (const pattern of ["%paid%", "%PAID", "%4711%", "оплачено%", "%ß%", "100\\%", "p_id", "%"]) {
    const rows = await sql<{ text: string | null; found: boolean | null; ilike: boolean | null }[]>`
      select text, ${isLike(sql, sql`text`, pattern)} as found, text ilike ${pattern} as ilike
      from unnest(${TEXTS}::text[]) as texts (text)
    `;
    assert.ok(rows.some(({ found }) => found === true), pattern);
    for (const { text, found, ilike } of rows) assert.equal(found, ilike, `${text} ${pattern}`);
  }
});
