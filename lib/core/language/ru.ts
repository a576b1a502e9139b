/** Everything that is said, in Russian: of each English message its translation. One line a message, sorted. */
export const russian = {
  "Email": "Электронная почта",
  "Sign in": "Войти",
  "{n} event|{n} events": "{n} событие|{n} события|{n} событий",
} as const;
