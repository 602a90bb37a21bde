import type { Browser } from "playwright-core";
import { test } from "vitest";
import { enter, hasChromium, openTab, startBrowser } from "./browser.test-kit.ts";
import type { Tab, TabOptions } from "./browser.test-kit.ts";
import { startConsole, type ConsoleKit, type ConsoleOptions } from "./console.test-kit.ts";

export interface Opening extends ConsoleOptions, TabOptions {
  /** A service that runs; else one is started. */
  readonly kit?: ConsoleKit;
  /** The scopes of the token; all of them if left out. */
  readonly may?: string;
  /** The name of the device. */
  readonly name?: string;
  /** False: the page asks for a code. */
  readonly pairs?: boolean;
}

/** A console that a browser shows, and the service it came from. */
export interface Opened extends Tab {
  readonly kit: ConsoleKit;
}

export interface Doors {
  /** Starts a service that outlives its tabs. */
  start(options?: ConsoleOptions): Promise<ConsoleKit>;
  /** Opens the console in a tab of its own, which is paired unless told otherwise. */
  open(opening?: Opening): Promise<Opened>;
  /** Opens a tab that shows nothing yet. */
  tab(at: { readonly url: string }, options?: TabOptions): Promise<Tab>;
}

/** Each tab is watched: whatever it does that a page must not do fails the test. */
class WatchedDoors implements Doors {
  readonly #browser: Browser;
  readonly #tabs: Tab[] = [];
  readonly #kits: ConsoleKit[] = [];

  constructor(browser: Browser) {
    this.#browser = browser;
  }

  readonly tab: Doors["tab"] = async (at, options) => {
    const tab = await openTab(this.#browser, at, options);
    this.#tabs.push(tab);
    return tab;
  };

  readonly start: Doors["start"] = async (options) => {
    const kit = await startConsole(options);
    this.#kits.push(kit);
    return kit;
  };

  readonly open: Doors["open"] = async (opening = {}) => {
    const { kit: running, may, name, pairs = true, ...options } = opening;
    const kit = running ?? (await this.start(options));
    const tab = await this.tab(kit.gateway, options);
    if (!pairs) await tab.page.goto(`${kit.gateway.url}/console`);
    else await enter(tab, kit, { ...(may && { may }), ...(name && { name }) });
    return { ...tab, kit };
  };

  /** Closes all and throws if a tab did what it must not. */
  async close(): Promise<void> {
    const faults = this.#tabs.flatMap((one) => one.faults);
    for (const one of [...this.#tabs, ...this.#kits]) await one[Symbol.asyncDispose]();
    if (faults.length > 0) throw new Error(`A page of the console must not do this:\n${faults.join("\n")}`);
  }
}

const withBrowser = test.extend<{ readonly browser: Browser; readonly doors: Doors }>({
  browser: [
    // oxlint-disable-next-line no-empty-pattern -- vitest reads the names of the fixtures off it
    async ({}, use) => {
      await using browser = await startBrowser();
      await use(browser);
    },
    { scope: "file" },
  ],
  doors: async ({ browser }, use) => {
    const doors = new WatchedDoors(browser);
    await use(doors);
    await doors.close();
  },
});

const without = hasChromium ? "" : " (left out: chromium is not installed)";

/** Declares a test of what a person sees in a browser. */
export function inBrowser(title: string, work: (doors: Doors) => Promise<void>): void {
  // oxlint-disable-next-line vitest/expect-expect -- `work` has them
  withBrowser.runIf(hasChromium)(`${title}${without}`, ({ doors }) => work(doors));
}
