import assert from "node:assert/strict";
import { InvalidInput } from "@/lib/core/errors.ts";
import { checkPassword } from "@/lib/accounts/users.ts";

const EMAIL = "ann.miller@example.com";

function refused(password: string, message: RegExp): void {
  assert.throws(
    () => checkPassword(password, EMAIL),
    (error) =>
      error instanceof InvalidInput && error.field === "password" && message.test(error.message),
    password,
  );
}

Deno.test("a password has 10 to 200 characters, counted as people count them", () => {
  refused("", /at least 10/);
  refused("Xk3!pQ9#v", /at least 10/);
  refused("🦊🐻🐼🐨🐯🦁🐮🐷🐸", /at least 10/);
  refused("ab3d".repeat(50) + "x", /at most 200/);
  checkPassword("Xk3!pQ9#vL", EMAIL);
  checkPassword("🦊🐻🐼🐨🐯🦁🐮🐷🐸🐵", EMAIL);
  checkPassword("correct horse battery staple", EMAIL);
});

Deno.test("a password made of the mail address is refused", () => {
  const f = (password: string) => refused(password, /mail address/);
  f("ann.miller@example.com");
  f("ANN.MILLER@EXAMPLE.COM");
  f("ann.miller@example.com1");
  f("annmiller1");
  f("Ann_Miller_2026");
});

Deno.test("passwords that are tried first are refused, whatever digits and marks are around them", () => {
  const f = (password: string) => refused(password, /harder to guess/);
  f("password123");
  f("Password123!");
  f("P@ssw0rd2026");
  f("qwertyuiop");
  f("1234567890");
  f("0987654321");
  f("abcdefghij");
  f("abcdefgh2026");
  f("1q2w3e4r5t6y");
  f("aaaaaaaaaaaa");
  f("1212121212");
  f("abcdeabcdeabcde");
  f("letmein!!!!");
  f("watchpost2026");
  f("Administrator");
});
