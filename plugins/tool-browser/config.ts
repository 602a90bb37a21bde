import { securityKeys } from "@gantry/sdk";
import { toolsKeys } from "@gantry/sdk/fill";
import { Type, type Static } from "typebox";

export const config = Type.Object({
  security: Type.Object({
    browser_enabled: securityKeys.browser_enabled,
    allowed_domains: securityKeys.allowed_domains,
  }),
  tools: Type.Object({
    browser_timeout_seconds: toolsKeys.browser_timeout_seconds,
    max_output_bytes: toolsKeys.max_output_bytes,
    browser_backend: Type.Union([Type.Literal("http"), Type.Literal("webdriver"), Type.Literal("chromium")], {
      default: "http",
      description:
        "http: reads pages, follows links, sends forms by GET, runs no script; chromium: a browser of its own behind the kernel walls; webdriver: a browser that a driver at webdriver_url starts.",
    }),
    browser_downloads: Type.Optional(
      Type.String({
        description:
          "A folder of the workspace that the browser of the chromium backend downloads to, such as downloads; what is read there counts as material from outside. Unset: downloads are refused.",
        pattern: "^(?!/|.*(^|/)\\.\\.(/|$)).+$",
      }),
    ),
    chromium_path: Type.Optional(
      Type.String({
        description: "The program of the chromium backend; default: the first that is installed.",
      }),
    ),
    webdriver_url: Type.String({
      default: "http://127.0.0.1:9515",
      description: "Where the driver of the webdriver backend listens.",
    }),
    webdriver_capabilities: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'What a session of the driver is asked for besides, such as "goog:chromeOptions"; proxy, dialogs and time limits are the service\'s own.',
      }),
    ),
  }),
});

export type BrowserConfig = Static<typeof config>;
