import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyPlace, ENTER, gantry, startOnboarding, UP } from "../command-onboard/cli.test-kit.ts";

/** Over what stands there already. */
const instead = (text: string): string => `\u0015${text}${ENTER}`;

test("CLI-02: TOL-02: onboard --tools sets a browser up: a driver that is not there is said before anything is written, wrong answers at once", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const terminal = await startOnboarding(configDir, { flags: ["--tools"] });
  await terminal.answer("Where shall people write", ENTER);
  await terminal.see("Which further tool");
  await terminal.answer("A web browser", UP + ENTER);
  await terminal.answer("or webdriver?", instead("firefox"));
  await terminal.answer("One of http, chromium, webdriver, please.", instead("webdriver"));
  await terminal.answer("Domains that it may open", ENTER);
  await terminal.answer("Without one it can open nothing.", instead("shop.example *.example.org"));
  await terminal.answer("Address of the driver", instead("http://127.0.0.1:1"));
  await terminal.see("WebDriver connection failed");
  await terminal.answer("Keep these answers", "n");
  await terminal.answer("or webdriver?", instead("http"));
  await terminal.answer("Domains that it may open", instead("shop.example *.example.org"));
  await terminal.see("http: reads pages, runs no script");
  await terminal.answer("Write them?", ENTER);
  await terminal.see("Next: gantry agent");
  expect(await terminal.ended).toBe(0);

  const text = await readFile(path.join(configDir, "config.toml"), "utf8");
  expect(text).toMatch(/browser_enabled = true/);
  expect(text).toMatch(/allowed_domains = \["shop\.example", "\*\.example\.org"\]/);
  expect(text).not.toContain("webdriver");
  const open = '{"action":"open","url":"http://elsewhere.example/"}';
  const called = await gantry(configDir, ["tools", "call", "browser", open, "--yes"]);
  expect(called.stderr).toMatch(/elsewhere\.example.*is not allowed/);
});
