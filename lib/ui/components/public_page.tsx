import type { ComponentChildren } from "preact";
import { Logo } from "./logo.tsx";

export interface PublicPageProps {
  readonly title: string;
  readonly description?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** The frame of pages for people who are not signed in: one column in the middle. */
export function PublicPage({ title, description, children }: PublicPageProps) {
  return (
    <div class="flex min-h-dvh flex-col items-center bg-canvas px-4 py-10 sm:py-20">
      <header class="mb-6">
        <a href="/" class="flex items-center gap-2.5 text-lg font-semibold">
          <Logo size={40} />
          Watchpost
        </a>
      </header>
      <main class="w-full max-w-100 rounded-lg border border-line bg-surface p-6">
        <h1 class="text-xl font-semibold">{title}</h1>
        {description && <div class="mt-1 text-muted">{description}</div>}
        <div class="mt-5">{children}</div>
      </main>
    </div>
  );
}
