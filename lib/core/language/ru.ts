/** Everything that is said, in Russian: of each English message its translation. One line a message, sorted. */
export const russian = {
  "Admins decide about members and viewers only: ask a manager or an owner.": "Администраторы решают только об участниках и наблюдателях: обратитесь к менеджеру или владельцу.",
  "Email": "Электронная почта",
  "Nobody can raise their own role.": "Никто не может повысить собственную роль.",
  "Only admins, managers and owners can change members.": "Изменять состав участников могут только администраторы, менеджеры и владельцы.",
  "Only managers, owners and the team's admins can change this team.": "Изменять эту команду могут только менеджеры, владельцы и администраторы команды.",
  "Only owners can make or unmake owners.": "Назначать и снимать владельцев могут только владельцы.",
  "Sign in": "Войти",
  "{n} event|{n} events": "{n} событие|{n} события|{n} событий",
} as const;
