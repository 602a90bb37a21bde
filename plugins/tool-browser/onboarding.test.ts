import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { emptyPlace, ENTER, gantry, gantryInTerminal, UP } from "../command-onboard/cli.test-kit.ts";

/** Over what stands there already. */
const instead = (text: string): string => `\u0015${text}${ENTER}`;

test("CLI-02: TOL-02: onboard --tools sets a browser up: a driver that is not there is said before anything is written, wrong answers at once", async () => {
  await using place = await emptyPlace();
  const { configDir } = place;
  const flags = ["--provider", "demo", "--autonomy", "supervised", "--tools"];
  const terminal = gantryInTerminal(configDir, ["onboard", ...flags]);
  await terminal.see("Which directory");
  terminal.type(ENTER);
  await terminal.see("Where shall people write");
  terminal.type(ENTER);
  await terminal.see("Which further tool");
  await terminal.see("A web browser");
  terminal.type(UP + ENTER);
  await terminal.see("or webdriver?");
  terminal.type(instead("firefox"));
  await terminal.see("One of http, chromium, webdriver, please.");
  terminal.type(instead("webdriver"));
  await terminal.see("Domains that it may open");
  terminal.type(ENTER);
  await terminal.see("Without one it can open nothing.");
  terminal.type(instead("shop.example *.example.org"));
  await terminal.see("Address of the driver");
  terminal.type(instead("http://127.0.0.1:1"));
  await terminal.see("WebDriver connection failed");
  await terminal.see("Keep these answers");
  terminal.type("n");
  await terminal.see("or webdriver?");
  terminal.type(instead("http"));
  await terminal.see("Domains that it may open");
  terminal.type(instead("shop.example *.example.org"));
  await terminal.see("http: reads pages, runs no script");
  await terminal.see("Write them?");
  terminal.type(ENTER);
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
