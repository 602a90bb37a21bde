import type { Values } from "@gantry/sdk";
import type { WebDriver } from "./webdriver.ts";

const SPACE = "browser-sessions";

/** Which sessions of drivers are open, so that what a killed service left is ended by the next one. */
export class WebDriverSessions {
  readonly #values: Values | undefined;

  constructor(values: Values | undefined) {
    this.#values = values;
  }

  async remember(session: string, driver: string): Promise<void> {
    await this.#values?.put(SPACE, session, driver);
  }

  async forget(session: string): Promise<void> {
    await this.#values?.remove(SPACE, session);
  }

  /** Ends those of this driver; one that does not answer keeps them for later. */
  async endLeft(driver: WebDriver): Promise<void> {
    for (const { key, value } of (await this.#values?.list<string>(SPACE)) ?? []) {
      if (value !== driver.address) continue;
      try {
        await driver.call("DELETE", `/session/${encodeURIComponent(key)}`);
      } catch (error) {
        if ((error as { readonly word?: string }).word === undefined) return;
      }
      await this.forget(key);
    }
  }
}
