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
type Use = (kit: BrowserKit, shop: Shop) => Promise<void>;
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
      await use(kit, shop);
    },
  ],
  [
    "webdriver",
    hasDriver,
    driver,
    async (use, tools = {}) => {
      await using shop = await startShop();
      await using started = await startDriver();
      await using kit = await startBrowser("webdriver", { tools: { ...started.tools, ...tools } });
      await use(kit, shop);
    },
  ],
];
