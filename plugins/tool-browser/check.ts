import type { CheckRow, Upstream } from "@gantry/sdk";
import type { Needs } from "./backends.ts";
import type { BrowserConfig } from "./config.ts";

/** Returns the rows of the browser in `status` and `doctor`; only `doctor` asks a driver. */
export async function checkBrowser(
  { security, tools }: BrowserConfig,
  { sandbox, upstream, pages }: Needs,
  ask: boolean,
): Promise<readonly CheckRow[]> {
  const what = "browser";
  if (security.allowed_domains.length === 0)
    return [
      {
        what,
        state: "warn",
        detail: "it can open nothing",
        cure: "name domains in security.allowed_domains",
      },
    ];
  try {
    switch (tools.browser_backend) {
      case "http":
        if (!pages) throw new Error("no plugin reads pages");
        return [{ what, state: "ok", detail: "http: reads pages, runs no script" }];
      case "chromium": {
        const { findChromium } = await import("./chromium.ts");
        const program = findChromium(tools.chromium_path);
        const policy = await sandbox?.policy();
        if (!policy?.files || !policy.network)
          throw new Error("there are no kernel walls for it to run behind");
        return [{ what, state: "ok", detail: `chromium: ${program}, behind the kernel walls` }];
      }
      case "webdriver":
        if (!ask) return [{ what, state: "ok", detail: `webdriver: ${tools.webdriver_url}` }];
        return [{ what, state: "ok", detail: await askDriver(upstream, tools.webdriver_url) }];
    }
  } catch (error) {
    const cure = "follow what it says, or set tools.browser_backend to http";
    return [{ what, state: "fail", detail: error instanceof Error ? error.message : String(error), cure }];
  }
}

async function askDriver(upstream: Upstream | undefined, address: string): Promise<string> {
  if (!upstream) throw new Error("no plugin reaches a driver");
  const { WebDriver } = await import("./webdriver.ts");
  const { ready, message } = await new WebDriver(upstream, address).call("GET", "/status");
  if (ready !== true) throw new Error(`the driver at ${address} is not ready: ${String(message)}`);
  return `webdriver: the driver at ${address} is ready`;
}
