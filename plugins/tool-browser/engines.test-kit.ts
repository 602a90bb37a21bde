import type { Plugin } from "@gantry/sdk";
import {
  type BrowserKit,
  hasChromium,
  hasDriver,
  startBrowser,
  startDriver,
  without,
} from "./browser.test-kit.ts";
import { type Shop, startShop } from "./shop.test-kit.ts";

const chromium = without("chromium", hasChromium);
const driver = without("chromedriver", hasDriver);
/** `start`: one more browser, with plugins beside it. */
type Use = (
  kit: BrowserKit,
  shop: Shop,
  start: (plugins: readonly Plugin[]) => Promise<BrowserKit>,
) => Promise<void>;
type Tools = Readonly<Record<string, unknown>>;

/** Both kinds of browser that run scripts. */
export const engines: readonly (readonly [
  name: string,
  can: boolean,
  left: string,
  run: (use: Use, tools?: Tools) => Promise<void>,
])[] = [
  [
    "chromium",
    hasChromium,
    chromium,
    async (use, tools = {}) => {
      await using shop = await startShop();
      await using kit = await startBrowser("chromium", { tools });
      await use(kit, shop, (plugins) => startBrowser("chromium", { tools, plugins }));
    },
  ],
  [
    "webdriver",
    hasDriver,
    driver,
    async (use, tools = {}) => {
      await using shop = await startShop();
      await using started = await startDriver();
      const all = { ...started.tools, ...tools };
      await using kit = await startBrowser("webdriver", { tools: all });
      await use(kit, shop, (plugins) => startBrowser("webdriver", { tools: all, plugins }));
    },
  ],
];
