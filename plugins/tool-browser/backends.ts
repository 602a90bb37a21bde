import path from "node:path";
import type { Audit, Net, Runtime, Sandbox, Upstream } from "@gantry/sdk";
import type { Pages } from "@gantry/sdk/fill";
import { type CheckedProxy, checkedProxy, followLinks, isInside, makeDir, openDecoy } from "@gantry/sdk/node";
import type { Browser } from "./browser.ts";
import type { BrowserConfig } from "./config.ts";
import { errors } from "./errors.ts";
import { WebDriverSessions } from "./webdriver-sessions.ts";

export interface Needs {
  readonly runtime: Runtime;
  readonly net: Net | undefined;
  readonly pages: Pages | undefined;
  readonly sandbox: Sandbox | undefined;
  readonly upstream: Upstream | undefined;
  readonly audit: Audit | undefined;
}

/** Starts browsers of the kind that the configuration names. */
export class Backends {
  readonly #config: BrowserConfig;
  readonly #needs: Needs;
  readonly #left: WebDriverSessions;

  constructor(config: BrowserConfig, needs: Needs) {
    this.#config = config;
    this.#needs = needs;
    this.#left = new WebDriverSessions(path.join(needs.runtime.configDir, "state", "browser"));
  }

  async start(signal: AbortSignal): Promise<Browser> {
    const { security, tools } = this.#config;
    const timeoutMs = tools.browser_timeout_seconds * 1_000;
    switch (tools.browser_backend) {
      case "http": {
        if (!this.#needs.pages) throw errors.BROWSER_NEEDS("reads pages");
        const { HttpBrowser } = await import("./http-browser.ts");
        return new HttpBrowser(this.#needs.pages, signal);
      }
      case "chromium": {
        const { startChromium } = await import("./chromium.ts");
        const { sandbox, runtime } = this.#needs;
        const folder = tools.browser_downloads;
        const downloads = folder === undefined ? undefined : await downloadsIn(runtime.workspace, folder);
        const domains = security.allowed_domains;
        return startChromium({ sandbox, path: tools.chromium_path, domains, downloads, timeoutMs }, signal);
      }
      case "webdriver":
        return this.#startWebDriver(signal, timeoutMs);
    }
  }

  async #startWebDriver(signal: AbortSignal, timeoutMs: number): Promise<Browser> {
    const { upstream } = this.#needs;
    if (!upstream) throw errors.BROWSER_NEEDS("reaches a driver");
    const [{ WebDriver }, { WebDriverBrowser }] = await Promise.all([
      import("./webdriver.ts"),
      import("./webdriver-browser.ts"),
    ]);
    const driver = new WebDriver(upstream, this.#config.tools.webdriver_url);
    const decoy = await openDecoy();
    const proxy = await this.#startProxy(`127.0.0.1:${decoy.tcpPort}`);
    try {
      return await WebDriverBrowser.start(
        {
          driver,
          proxy,
          decoy,
          timeoutMs,
          capabilities: this.#config.tools.webdriver_capabilities ?? {},
          remember: (session) => this.#left.remember(session, driver.address),
          forget: (session) => this.#left.forget(session),
        },
        signal,
      );
    } catch (error) {
      await proxy.close();
      throw error;
    } finally {
      await decoy.close();
    }
  }

  /** Ends what a service that was killed left at drivers. */
  async endLeft(): Promise<void> {
    const { upstream } = this.#needs;
    if (!upstream) return;
    const { WebDriver } = await import("./webdriver.ts");
    await this.#left.endLeft((address) => new WebDriver(upstream, address));
  }

  close(): Promise<void> {
    return this.#left.close();
  }

  /**
   * A driver takes no credential for a proxy, so whoever finds the port may use it: for allowed
   * addresses alone, while its browser lives. What is refused is written down, but for `decoy`,
   * which the service itself asks for.
   */
  async #startProxy(decoy: string): Promise<CheckedProxy> {
    const { net, audit } = this.#needs;
    if (!net) throw errors.BROWSER_NEEDS("opens addresses");
    const refused = (address: string, why: string): void => {
      if (address === decoy) return;
      audit
        ?.record({
          event_type: "security_refusal",
          tool: "browser",
          args: { address },
          result: why,
          user: "",
          session_id: "",
        })
        .catch(() => undefined);
    };
    return (await checkedProxy()).startProxy(net, { refused });
  }
}

/**
 * The folder, which is made where it is not there; a link in the workspace must not lead the
 * browser's writing out of it.
 */
async function downloadsIn(workspace: string, folder: string): Promise<string> {
  const real = await followLinks(path.join(workspace, folder));
  if (!isInside(real, workspace) || real === workspace) throw errors.BROWSER_DOWNLOADS(folder, real);
  makeDir(real);
  return real;
}
