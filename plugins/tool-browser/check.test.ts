import { Checks } from "@gantry/sdk";
import { expect, test } from "vitest";
import { hasChromium, hasDriver, startBrowser, startDriver, without } from "./browser.test-kit.ts";

async function rowsOf(backend: string, tools = {}, security = {}, kind = "doctor") {
  await using kit = await startBrowser(backend, { tools, security });
  return (await kit.host.slot(Checks).get(`browser-${kind}`)?.run(AbortSignal.timeout(45_000))) ?? [];
}

test("CLI-01, BR-15: doctor has one row for a browser that is enabled, and none where it is not", async () => {
  expect(await rowsOf("http")).toEqual([
    { what: "browser", state: "ok", detail: "http: reads pages, runs no script" },
  ]);
  expect(await rowsOf("http", {}, { browser_enabled: false })).toEqual([]);
});

test("CLI-01, TOL-02: doctor says what is missing, and how to get it", async () => {
  const nowhere = await rowsOf("http", {}, { allowed_domains: [] });
  expect(nowhere).toMatchObject([{ state: "warn", cure: "name domains in security.allowed_domains" }]);
  const silent = { webdriver_url: "http://127.0.0.1:1" };
  const [driver] = await rowsOf("webdriver", silent);
  expect(driver).toMatchObject({ what: "browser", state: "fail" });
  expect(driver!.detail).toMatch(/WebDriver connection failed: http:\/\/127\.0\.0\.1:1 .*refused.*start one/);
  expect(await rowsOf("webdriver", silent, {}, "status")).toMatchObject([{ state: "ok" }]);
  const [program] = await rowsOf("chromium", { chromium_path: "/no/such/program" });
  expect(program).toMatchObject({ state: "fail" });
  expect(program!.detail).toMatch(/No Chromium was found at \/no\/such\/program: install the package/);
});

test.runIf(hasChromium)(
  `CLI-01, TOL-04: doctor names the Chromium that runs behind the walls${without("chromium", hasChromium)}`,
  async () => {
    const [row] = await rowsOf("chromium");
    expect(row).toMatchObject({ state: "ok" });
    expect(row!.detail).toMatch(/^chromium: \/\S+, behind the kernel walls$/);
  },
);

test.runIf(hasDriver)(
  `CLI-01, TOL-02: doctor asks a driver that is there${without("chromedriver", hasDriver)}`,
  async () => {
    await using driver = await startDriver();
    const [row] = await rowsOf("webdriver", driver.tools);
    expect(row).toMatchObject({ state: "ok", detail: `webdriver: the driver at ${driver.url} is ready` });
  },
);
