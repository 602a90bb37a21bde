import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, test } from "vitest";
import { Checks, Tools } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import { requests } from "./gpio-abi.ts";
import { GpioChip } from "./gpio-chip.ts";
import { linux } from "./gpio-kernel.ts";
import plugin from "./index.ts";
import { MemoryChip } from "./memory-chip.test-kit.ts";
import { peripherals } from "./plugin.ts";

const panel = {
  kind: "gpio",
  lines: {
    lamp: { offset: 3, direction: "out" },
    alarm: { offset: 5, direction: "out", initial: 1, active_low: true },
    button: { offset: 7, direction: "in", bias: "pull-up" },
  },
};

async function hostOn(chip: MemoryChip, entry: object = panel): Promise<TestHost> {
  const config = { peripherals: { panel: entry } };
  return startTestHost({ plugins: [peripherals(chip.kernel)], config });
}

function read(t: TestHost, line: string): Promise<{ text: string; code?: string }> {
  return t.call("gpio_read", { peripheral: "panel", line }, { approvals: "yes" });
}

function write(t: TestHost, line: string, value: number): Promise<{ text: string; code?: string }> {
  return t.call("gpio_write", { peripheral: "panel", line, value }, { approvals: "yes" });
}

test("TOL-03: an output is set, keeps its value and is read back; an input is read as it is", async () => {
  const chip = new MemoryChip(8);
  await using t = await hostOn(chip);
  expect(await write(t, "lamp", 1)).toMatchObject({ text: "lamp of panel is now 1" });
  expect(chip.lines[3]!.value).toBe(1);
  expect(await read(t, "lamp")).toMatchObject({ text: "lamp of panel is 1" });
  chip.lines[7]!.value = 1;
  expect(await read(t, "button")).toMatchObject({ text: "button of panel is 1" });
});

test("TOL-03: lines are claimed as configured: direction, first value, active low, bias", async () => {
  const chip = new MemoryChip(8);
  await using t = await hostOn(chip);
  await read(t, "alarm");
  await read(t, "button");
  expect(chip.lines[5]).toEqual({ consumer: "gantry", value: 1, flags: (1 << 3) | (1 << 1) });
  expect(chip.lines[7]).toEqual({ consumer: "gantry", value: 0, flags: (1 << 2) | (1 << 8) });
});

test("PE-08: a write to an input is refused before the kernel is asked", async () => {
  const chip = new MemoryChip(8);
  await using t = await hostOn(chip);
  const { text, code } = await write(t, "button", 1);
  expect(text).toContain("The line button of panel is an input, so nothing is written to it");
  expect(code).toBe("PERIPHERAL_INPUT");
  expect(chip.asked).toEqual([]);
});

test("PE-09: outputs are claimed when the service starts, keep their value while it runs, and are let go at its end", async () => {
  const chip = new MemoryChip(8);
  const t = await hostOn(chip);
  await t.serve();
  expect([chip.lines[3]!.consumer, chip.lines[5]!.value, chip.lines[7]!.consumer]).toEqual(["gantry", 1, ""]);
  await write(t, "lamp", 1);
  await read(t, "button");
  expect([chip.open, chip.lines[3]!.value]).toEqual([3, 1]);
  await t.stop();
  expect([chip.open, chip.lines[3]!.consumer]).toEqual([0, ""]);
});

test("PE-09: a chip that is missing when the service starts is told, and does not keep it from starting", async () => {
  const chip = new MemoryChip(8);
  chip.isPlugged = false;
  await using t = await hostOn(chip);
  await t.serve();
  expect(t.logs.some(({ message }) => message.startsWith("Failed to connect to peripheral panel"))).toBe(
    true,
  );
  chip.isPlugged = true;
  expect(await write(t, "lamp", 1)).toMatchObject({ text: "lamp of panel is now 1" });
});

test("PE-10: what the service holds is named gantry", async () => {
  const chip = new MemoryChip(8);
  await using t = await hostOn(chip);
  await read(t, "button");
  expect(chip.lines[7]!.consumer).toBe("gantry");
});

test("PE-11: a line of another consumer is told with its name", async () => {
  const chip = new MemoryChip(8);
  chip.lines[3]!.consumer = "led_driver";
  await using t = await hostOn(chip);
  const { text, code } = await write(t, "lamp", 1);
  expect(code).toBe("PERIPHERAL_CONNECT");
  expect(text).toContain("lamp (line 3) is taken by the consumer `led_driver`; end what uses it");
});

test("PE-12: a kernel that lacks the second version of the interface is told as that", async () => {
  const chip = new MemoryChip(8);
  chip.isNew = false;
  await using t = await hostOn(chip);
  expect((await read(t, "button")).text).toContain(
    "the kernel lacks the second version of the GPIO interface; use Linux 5.10 or newer",
  );
  expect(chip.open).toBe(0);
});

test("PE-04: a chip that was unplugged is told once, and claimed anew when it is back", async () => {
  const chip = new MemoryChip(8);
  await using t = await hostOn(chip);
  await write(t, "lamp", 1);
  chip.isPlugged = false;
  expect((await write(t, "lamp", 0)).text).toContain("it was unplugged; plug it in and call again");
  expect((await write(t, "lamp", 0)).text).toContain("it cannot be opened (ENOENT)");
  chip.isPlugged = true;
  expect(await write(t, "lamp", 0)).toMatchObject({ text: "lamp of panel is now 0" });
});

test("PE-01: a line that the chip does not have, and one that nobody configured, are each told", async () => {
  const chip = new MemoryChip(4);
  await using t = await hostOn(chip);
  expect((await read(t, "button")).text).toContain("it has no line 7 for button, only 0 to 3");
  expect(await read(t, "door")).toMatchObject({ code: "PERIPHERAL_UNKNOWN" });
  expect((await write(t, "door", 1)).text).toContain("there are: lamp, alarm, button");
});

test("TOL-03: two calls at once claim a line once", async () => {
  const chip = new MemoryChip(8);
  await using t = await hostOn(chip);
  await Promise.all([read(t, "button"), read(t, "button"), read(t, "button")]);
  expect(chip.asked.filter((request) => request === requests.line)).toHaveLength(1);
  expect(chip.open).toBe(1);
});

test("PE-02: a chip that this user may not open is GPIO access denied, with the group to join", async () => {
  const chip = new MemoryChip(8);
  for (const refusal of ["EACCES", "EPERM"]) {
    chip.refuses = refusal;
    await using t = await hostOn(chip);
    const { text, code } = await read(t, "button");
    expect(code).toBe("GPIO_DENIED");
    expect(text).toMatch(
      /^GPIO access denied: panel at \/dev\/gpiochip0 may not be opened by this user; add/,
    );
    expect(text).toContain("to the group gpio (`sudo usermod -aG gpio ");
  }
});

/** A chip of the configuration that leads to a file of the real kernel. */
function realChip(at: string): GpioChip {
  const line = { name: "lamp", offset: 0, direction: "out", initial: 0, activeLow: false } as const;
  const lines = new Map([["lamp", { ...line, bias: undefined }]]);
  return new GpioChip({ name: "panel", path: at, lines }, linux);
}

test.each([
  ["/dev/gpiochip99", "there is no such device"],
  ["/dev/null", "it is no GPIO chip (the kernel has it under mem)"],
  ["/etc/passwd", "it is no device at all"],
])("PE-14: the real kernel: %s is no chip: %s", async (at, cause) => {
  await expect(realChip(at).read("lamp")).rejects.toThrow(
    `Failed to connect to peripheral panel at ${at}: ${cause}`,
  );
});

test("PE-14: the real kernel refuses the calls of a chip to what is none, and its error has its name", async () => {
  const kernel = await linux();
  const fd = kernel.open("/dev/null");
  expect(() => kernel.ioctl(fd, requests.chipInfo, new Uint8Array(68))).toThrow("ENOTTY");
  kernel.close(fd);
  expect(() => kernel.ioctl(fd, requests.chipInfo, new Uint8Array(68))).toThrow("EBADF");
});

test("PE-02: the real kernel: a file that is closed to this user is denied", async () => {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-chip-"));
  chmodSync(folder, 0o755);
  const file = path.join(folder, "chip");
  writeFileSync(file, "", { mode: 0 });
  const kernel = { ...(await linux()), obstacle: async () => undefined };
  const settings = realChip(file).settings;
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    await expect(new GpioChip(settings, async () => kernel).read("lamp")).rejects.toThrow(
      /^GPIO access denied: panel at /,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
    rmSync(folder, { recursive: true });
  }
});

test("PE-07: what a line says is material from outside; what is written names its line", async () => {
  const chip = new MemoryChip(8);
  await using t = await hostOn(chip);
  const tools = t.slot(Tools);
  const args = { peripheral: "panel", line: "lamp" };
  const [reads, writes] = ["gpio_read", "gpio_write"].map((name) => tools.get(name));
  expect(await reads?.effects?.(args, {} as never)).toEqual({ brings: { material: ["the device panel"] } });
  expect(await writes?.effects?.(args, {} as never)).toEqual({ recipients: ["panel/lamp"] });
});

test("PE-15: doctor has a row for each device, says who holds what, and opens no line and no port", async () => {
  const chip = new MemoryChip(8, "pinctrl-bcm2835");
  chip.lines[3]!.consumer = "led_driver";
  const sensor = { kind: "serial", path: "/dev/ttyNOPE0" };
  await using t = await startTestHost({
    plugins: [peripherals(chip.kernel)],
    config: { peripherals: { sensor, panel } },
  });
  const rows = await t.slot(Checks).get("peripherals")?.run(AbortSignal.timeout(60_000));
  expect(rows).toMatchObject([
    { what: "peripheral sensor", state: "fail", detail: "/dev/ttyNOPE0: there is no such device" },
    {
      what: "peripheral panel",
      state: "warn",
      detail:
        "/dev/gpiochip0 (pinctrl-bcm2835) with lamp, alarm, button; lamp is taken by the consumer `led_driver`",
    },
  ]);
  expect(chip.open).toBe(0);
  expect(chip.asked).not.toContain(requests.line);
  await using missing = await startTestHost({ plugins: [plugin], config: { peripherals: { panel } } });
  const [row] = (await missing.slot(Checks).get("peripherals")?.run(AbortSignal.timeout(60_000))) ?? [];
  expect(row).toMatchObject({ what: "peripheral panel", state: "fail" });
});
