import { expect, test } from "vitest";
import { Tools } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import plugin from "./index.ts";

const gpio = (line: object) => ({ kind: "gpio", lines: { lamp: line } });

test.each([
  ["a port without a path", { kind: "serial" }, "peripherals.x.path is missing"],
  [
    "a path that is not absolute",
    { kind: "serial", path: "ttyUSB0" },
    "peripherals.x.path is no absolute path",
  ],
  [
    "a key of the other kind",
    { kind: "serial", path: "/dev/ttyUSB0", chip: "/dev/gpiochip0" },
    'peripherals.x.chip does not go with kind = "serial": remove it',
  ],
  [
    "a key of a port at a chip",
    { ...gpio({ offset: 1, direction: "in" }), baud: 9_600 },
    'peripherals.x.baud does not go with kind = "gpio"',
  ],
  ["a chip without lines", { kind: "gpio" }, "peripherals.x.lines names no line"],
  [
    "a first value for an input",
    gpio({ offset: 1, direction: "in", initial: 1 }),
    "peripherals.x.lines.lamp.initial is for outputs",
  ],
  [
    "two names for one line",
    { kind: "gpio", lines: { a: { offset: 1, direction: "in" }, b: { offset: 1, direction: "out" } } },
    "peripherals.x.lines gives two names to one offset",
  ],
  ["a direction that is none", gpio({ offset: 1, direction: "up" }), "peripherals.x.lines.lamp.direction"],
  ["an offset that is none", gpio({ offset: -1, direction: "in" }), "peripherals.x.lines.lamp.offset"],
])("TOL-03: %s stops the start, naming the key", async (_, entry, message) => {
  const starting = startTestHost({ plugins: [plugin], config: { peripherals: { x: entry } } });
  await expect(starting).rejects.toThrow(message);
});

test("TOL-03: a name that a model could not write stops the start", async () => {
  const entry = { kind: "serial", path: "/dev/ttyUSB0" };
  const starting = startTestHost({ plugins: [plugin], config: { peripherals: { "a b": entry } } });
  await expect(starting).rejects.toThrow("peripherals.a b has a name with other signs");
});

test("TOL-03: without devices of a kind its tools are not offered", async () => {
  const entry = { kind: "serial", path: "/dev/ttyUSB0" };
  await using t = await startTestHost({ plugins: [plugin], config: { peripherals: { port: entry } } });
  const offered = [...t.slot(Tools).values()].filter((tool) => tool.offered?.() !== false);
  expect(offered.map(({ name }) => name)).toEqual(["serial_exchange"]);
});
