import path from "node:path";
import type { Audit, Net, Pages, Runtime, Sandbox, Store, Upstream } from "@gantry/sdk";
import { type CheckedProxy, checkedProxy, followLinks, isInside, makeDir } from "@gantry/sdk/node";
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
  readonly store: Store | undefined;
  readonly audit: Audit | undefined;
}

/** Starts browsers of the kind that the configuration names, and holds what they share. */
export class Backends {
  readonly #config: BrowserConfig;
  readonly #needs: Needs;
  #proxy: Promise<CheckedProxy> | undefined;

  constructor(config: BrowserConfig, needs: Needs) {
    this.#config = config;
    this.#needs = needs;
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

  async close(): Promise<void> {
    await (await this.#proxy?.catch(() => undefined))?.close();
  }

  async #startWebDriver(signal: AbortSignal, timeoutMs: number): Promise<Browser> {
    const { upstream, store } = this.#needs;
    if (!upstream) throw errors.BROWSER_NEEDS("reaches a driver");
    const [{ WebDriver }, { WebDriverBrowser }] = await Promise.all([
      import("./webdriver.ts"),
      import("./webdriver-browser.ts"),
    ]);
    const driver = new WebDriver(upstream, this.#config.tools.webdriver_url);
    const sessions = new WebDriverSessions(store?.values);
    const proxy = await (this.#proxy ??= this.#startProxy());
    return WebDriverBrowser.start(
      {
        driver,
        proxy,
        timeoutMs,
        capabilities: this.#config.tools.webdriver_capabilities ?? {},
        remember: (session) => sessions.remember(session, driver.address),
        forget: (session) => sessions.forget(session),
      },
      signal,
    );
  }

  /** Ends what a service that was killed left at the driver. */
  async endLeft(): Promise<void> {
    const { upstream, store } = this.#needs;
    const { browser_backend, webdriver_url } = this.#config.tools;
    if (browser_backend !== "webdriver" || !upstream || !store) return;
    const { WebDriver } = await import("./webdriver.ts");
    await new WebDriverSessions(store.values).endLeft(new WebDriver(upstream, webdriver_url));
  }

  /** A driver takes no credential for a proxy, so whoever finds the port may use it: for allowed addresses alone. */
  async #startProxy(): Promise<CheckedProxy> {
    const { net, audit } = this.#needs;
    if (!net) throw errors.BROWSER_NEEDS("opens addresses");
    const refused = (address: string, why: string): void =>
      void audit
        ?.record({
          event_type: "security_refusal",
          tool: "browser",
          args: { address },
          result: why,
          user: "",
          session_id: "",
        })
        .catch(() => undefined);
    return (await checkedProxy()).startProxy(net, { refused });
  }
}

/** The folder, which is made where it is not there; a link in the workspace must not lead the browser's writing out of it. */
async function downloadsIn(workspace: string, folder: string): Promise<string> {
  const real = await followLinks(path.join(workspace, folder));
  if (!isInside(real, workspace)) throw errors.BROWSER_DOWNLOADS(folder, real);
  makeDir(real);
  return real;
}
