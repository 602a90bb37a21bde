import { readFile } from "node:fs/promises";
import path from "node:path";
import { expect, test } from "vitest";
import { DOWN, emptyPlace, ENTER, gantry, startOnboarding } from "../command-onboard/cli.test-kit.ts";
import { PtyDevice } from "./pty.test-kit.ts";

test("CLI-02: TOL-03: onboard --tools sets a device up: a wrong path is said before anything is written, the right one works", async () => {
  await using device = await PtyDevice.plugIn(() => "21 C\n");
  await using place = await emptyPlace();
  const { configDir } = place;
  const terminal = await startOnboarding(configDir, { flags: ["--tools"] });
  await terminal.answer("Where shall people write", ENTER);
  await terminal.see("Which further tool");
  await terminal.answer("A device", DOWN + ENTER);
  const answer = async (name: string, port: string): Promise<void> => {
    await terminal.answer("A name for the device", `${name}${ENTER}`);
    await terminal.answer("Is it at a serial port", ENTER);
    await terminal.answer("Path of the port", `\u0015${port}${ENTER}`);
    await terminal.answer("Speed in baud", `\u00159600${ENTER}`);
  };
  await answer("probe", "/dev/ttyNOPE0");
  await terminal.see("there is no such device");
  await terminal.answer("Keep these answers", "n");
  await answer("sensor", device.path);
  await terminal.see("is there, at 9600 baud");
  await terminal.answer("Write them?", ENTER);
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
