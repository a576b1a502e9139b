import assert from "node:assert/strict";
import { InvalidInput } from "@/lib/core/errors.ts";
import { checkPassword } from "@/lib/accounts/users.ts";

const EMAIL = "ann.miller@example.com";

async function refused(password: string, message: RegExp): Promise<void> {
  await assert.rejects(
    () => checkPassword(password, EMAIL),
    (error) =>
      error instanceof InvalidInput && error.field === "password" && message.test(error.message),
    password,
  );
}

Deno.test("a password has 10 to 200 characters, counted as people count them", async () => {
  await refused("", /at least 10/);
  await refused("Xk3!pQ9#v", /at least 10/);
  await refused("🦊🐻🐼🐨🐯🦁🐮🐷🐸", /at least 10/);
  await refused("ab3d".repeat(50) + "x", /at most 200/);
  await checkPassword("Xk3!pQ9#vL", EMAIL);
  await checkPassword("🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵", EMAIL);
  await checkPassword("correct horse battery staple", EMAIL);
});

Deno.test("a password made of the email is refused", async () => {
  const f = (password: string) => refused(password, /email/);
  await f("ann.miller@example.com");
  await f("ANN.MILLER@EXAMPLE.COM");
  await f("ann.miller@example.com1");
  await f("annmiller1");
  await f("Ann_Miller_2026");
});

Deno.test("passwords that are tried first are refused, whatever digits and marks are around them", async () => {
  const f = (password: string) => refused(password, /harder to guess/);
  await f("password123");
  await f("Password123!");
  await f("P@ssw0rd2026");
  await f("qwertyuiop");
  await f("1234567890");
  await f("0987654321");
  await f("abcdefghij");
  await f("abcdefgh2026");
  await f("1q2w3e4r5t6y");
  await f("aaaaaaaaaaaa");
  await f("1212121212");
  await f("abcdeabcdeabcde");
  await f("letmein!!!!");
  await f("watchpost2026");
  await f("Administrator");
});

Deno.test("passwords known from breaches are refused, in whatever case", async () => {
  await refused("7uGd5HIp2J", /harder to guess/);
  await refused("PolniyPizdec0211", /harder to guess/);
  await checkPassword("7uGd5HIp2Jx", EMAIL);
});
