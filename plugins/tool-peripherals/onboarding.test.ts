import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { DOWN, emptyPlace, ENTER, gantry, gantryInTerminal } from "../command-onboard/cli.test-kit.ts";
import { PtyDevice } from "./pty.test-kit.ts";

test("CLI-02: TOL-03: onboard --tools sets a device up: a wrong path is said before anything is written, the right one works", async () => {
  await using device = await PtyDevice.plugIn(() => "21 C\n");
  await using place = await emptyPlace();
  const { configDir } = place;
  const flags = ["--provider", "demo", "--autonomy", "supervised", "--tools"];
  const terminal = gantryInTerminal(configDir, ["onboard", ...flags]);
  await terminal.see("Which directory");
  terminal.type(ENTER);
  await terminal.see("Where shall people write");
  terminal.type(ENTER);
  await terminal.see("Which further tool");
  await terminal.see("A device");
  terminal.type(DOWN + ENTER);
  const answer = async (name: string, port: string): Promise<void> => {
    await terminal.see("A name for the device");
    terminal.type(`${name}${ENTER}`);
    await terminal.see("Is it at a serial port");
    terminal.type(ENTER);
    await terminal.see("Path of the port");
    terminal.type(`\u0015${port}${ENTER}`);
    await terminal.see("Speed in baud");
    terminal.type(`\u00159600${ENTER}`);
  };
  await answer("probe", "/dev/ttyNOPE0");
  await terminal.see("there is no such device");
  await terminal.see("Keep these answers");
  terminal.type("n");
  await answer("sensor", device.path);
  await terminal.see("is there, at 9600 baud");
  await terminal.see("Write them?");
  terminal.type(ENTER);
  await terminal.see("Next: gantry agent");
  expect(await terminal.ended).toBe(0);

  const text = await readFile(path.join(configDir, "config.toml"), "utf8");
  expect(text).toMatch(/\[peripherals\.sensor\]\nkind = "serial"/);
  expect(text).not.toContain("probe");
  const called = await gantry(configDir, [
    "tools",
    "call",
    "serial_exchange",
    '{"peripheral":"sensor","text":"?"}',
    "--yes",
  ]);
  expect(called).toMatchObject({ code: 0, stdout: "21 C\n" });
});
