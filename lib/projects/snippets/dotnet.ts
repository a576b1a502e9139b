import { type Snippet, TEST_MESSAGE, TRACING_NOTE } from "./snippet.ts";

/** .NET with `Sentry`. */
export const dotnet: Snippet = {
  sdk: "Sentry",
  key: "server",
  steps: (dsn) => [
    {
      title: "Install",
      note:
        "With ASP.NET Core take Sentry.AspNetCore, and builder.WebHost.UseSentry(…) with the same options.",
      language: "bash",
      code: "dotnet add package Sentry",
    },
    {
      title: "Start it in Program.cs, and send a test error",
      note: TRACING_NOTE,
      language: "csharp",
      code: `using Sentry;

using var sentry = SentrySdk.Init(options =>
{
    options.Dsn = "${dsn}";
    options.Environment = "production";
    options.Release = "my-app@1.0.0";
    options.TracesSampleRate = 1.0;
});

SentrySdk.CaptureException(new Exception("${TEST_MESSAGE}"));`,
    },
  ],
};
