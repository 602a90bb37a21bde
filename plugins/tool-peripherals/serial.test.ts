import { spawn } from "node:child_process";
import { isUtf8 } from "node:buffer";
import { once } from "node:events";
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { stripVTControlCharacters } from "node:util";
import { assert, asyncProperty, pre, uint8Array } from "fast-check";
import { expect, test, vi } from "vitest";
import { Tools } from "@gantry/sdk";
import { startTestHost, type TestHost } from "@gantry/sdk/testing";
import autonomy from "../guard-autonomy/index.ts";
import plugin from "./index.ts";
import { present } from "./device.ts";
import { PtyDevice, until } from "./pty.test-kit.ts";
import { SerialDevice } from "./serial-device.ts";

const answering = (text: string) => () => text;

async function hostWith(at: string, keys: object = {}): Promise<TestHost> {
  const sensor = { kind: "serial", path: at, ...keys };
  return startTestHost({ plugins: [plugin], config: { peripherals: { sensor } } });
}

async function send(t: TestHost, args: object): Promise<{ text: string; code?: string }> {
  return t.call("serial_exchange", { peripheral: "sensor", ...args }, { approvals: "yes" });
}

/** UTF-8, and no control signs but those of lines and of a terminal. */
function isText(bytes: Buffer): boolean {
  const shown = stripVTControlCharacters(bytes.toString());
  return isUtf8(bytes) && ![...shown].some((sign) => /\p{Cc}/u.test(sign) && !"\t\r\n".includes(sign));
}

/** Returns true if this process has the port open. */
function isOpenHere(port: string): boolean {
  return readdirSync("/proc/self/fd").some((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`) === port;
    } catch {
      return false;
    }
  });
}

test("TOL-03: a message goes to the device with its end, and its answer comes back without", async () => {
  await using device = await PtyDevice.plugIn(answering("23.4 C\n"));
  await using t = await hostWith(device.path);
  expect(await send(t, { text: "temp?" })).toEqual({ decision: "allowed", text: "23.4 C" });
  expect(device.received.toString()).toBe("temp?\n");
});

test("TOL-03: a delimiter of its own ends messages both ways, and as many are waited for as are asked for", async () => {
  await using device = await PtyDevice.plugIn(answering("one;two;three;"));
  await using t = await hostWith(device.path, { delimiter: ";" });
  expect(await send(t, { text: "list", messages: 3 })).toMatchObject({ text: "one;two;three" });
  expect(device.received.toString()).toBe("list;");
});

test("TOL-03: bytes are sent in hex as they are, and what is neither text nor hex is not sent", async () => {
  await using device = await PtyDevice.plugIn(answering("ok\n"));
  await using t = await hostWith(device.path);
  expect(await send(t, { hex: "01 03:ff" })).toMatchObject({ text: "ok" });
  expect(await send(t, { hex: "0x1" })).toMatchObject({ code: "PERIPHERAL_BAD_HEX" });
  expect(await send(t, { hex: "01", text: "a" })).toMatchObject({ code: "PERIPHERAL_TEXT_AND_HEX" });
  expect(device.received).toEqual(Buffer.from([1, 3, 255]));
});

test("TOL-03: every call asks, and says what it sends where", async () => {
  const sensor = { kind: "serial", path: "/dev/null" };
  await using t = await startTestHost({ plugins: [autonomy, plugin], config: { peripherals: { sensor } } });
  const unasked = await t.call("serial_exchange", { peripheral: "sensor" }, { approvals: "none" });
  expect(unasked).toMatchObject({ decision: "refused", code: "APPROVAL_NO_PERSON" });
  const tool = t.slot(Tools).get("serial_exchange");
  expect(await tool?.preview?.({ peripheral: "sensor", text: "a" }, {} as never)).toBe('send to sensor: "a"');
});

test("TOL-03: the model names a device that the configuration names, and no path", async () => {
  await using device = await PtyDevice.plugIn();
  await using t = await hostWith(device.path);
  const foreign = await t.call("serial_exchange", { peripheral: device.path }, { approvals: "yes" });
  expect(foreign).toMatchObject({ code: "TOOL_BAD_ARGS" });
});

test("PE-01: a device that is missing is told with path, cause and cure", async () => {
  await using t = await hostWith("/dev/ttyNOPE0");
  const { text, code } = await send(t, {});
  expect(code).toBe("PERIPHERAL_CONNECT");
  expect(text).toMatch(
    /^Failed to connect to peripheral sensor at \/dev\/ttyNOPE0: there is no such device; plug it in/,
  );
});

test("PE-13: the ports of this machine are listed without any program to ask, and each of them is a device", async () => {
  vi.stubEnv("PATH", "");
  const ports = await present("serial");
  vi.unstubAllEnvs();
  expect(ports.filter((port) => !statSync(port).isCharacterDevice())).toEqual([]);
  expect(ports.length).toBeLessThanOrEqual(5);
});

test.each([
  ["a file", "FILE", "it is no device at all"],
  ["/dev/mem or its like", "/dev/null", "it is no serial port (the kernel has it under mem)"],
  ["a console", "/dev/console", "it is no serial port"],
  ["the way to make terminals", "/dev/ptmx", "it is no serial port"],
])("PE-14: %s is refused before it is opened", async (_, at, cause) => {
  const folder = mkdtempSync(path.join(tmpdir(), "gantry-file-"));
  const file = path.join(folder, "file");
  writeFileSync(file, "");
  await using t = await hostWith(at === "FILE" ? file : at);
  const { text, code } = await send(t, {});
  rmSync(folder, { recursive: true });
  expect(code).toBe("PERIPHERAL_CONNECT");
  expect(text).toContain(cause);
});

test("PE-02: a port that this user may not open is told with the group to join", async () => {
  await using device = await PtyDevice.plugIn();
  chmodSync(realpathSync(device.path), 0);
  const settings = { name: "sensor", path: device.path, baud: 9_600, delimiter: "\n", timeoutMs: 1_000 };
  const serial = new SerialDevice(settings);
  const isRoot = process.geteuid?.() === 0;
  chmodSync(path.dirname(device.path), 0o755);
  if (isRoot) process.seteuid?.(65_534);
  try {
    const refused = serial.exchange({ bytes: Buffer.alloc(0), messages: 1 }, AbortSignal.timeout(60_000));
    await expect(refused).rejects.toThrow(
      /^Failed to connect to peripheral sensor at \S+: this user may not open it; add the user to the group \w+ \(`sudo usermod -aG /,
    );
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
});

test("PE-03: the port is held alone: a second opener is refused and told who has it", async () => {
  await using device = await PtyDevice.plugIn(answering("ok\n"));
  await using first = await hostWith(device.path);
  await send(first, { text: "a" });
  const holder = spawn("flock", ["-n", device.path, "true"], { stdio: "ignore" });
  const [code] = (await once(holder, "exit")) as [number];
  expect(code).toBe(1);
});

test("PE-03: a port that another program has locked is told as busy, with that program", async () => {
  await using device = await PtyDevice.plugIn();
  const holder = spawn("flock", [device.path, "sh", "-c", "echo held; cat"], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  await once(holder.stdout, "data");
  await using t = await hostWith(device.path);
  const { text } = await send(t, { text: "a" });
  holder.stdin.end();
  await once(holder, "exit");
  expect(text).toMatch(/it is busy, used by (?:.*, )?process \d+ \(flock\)/);
  expect(text).toMatch(/end the program that uses it\.$/);
});

test("PE-04: a device unplugged between two calls is let go at once, and the next call opens it anew", async () => {
  await using device = await PtyDevice.plugIn(answering("ok\n"));
  await using t = await hostWith(device.path);
  await send(t, { text: "a" });
  const port = realpathSync(device.path);
  expect(isOpenHere(port)).toBe(true);
  await device.unplug();
  await until(() => !isOpenHere(port) && !isOpenHere(`${port} (deleted)`));
  expect(await send(t, { text: "b" })).toMatchObject({ code: "PERIPHERAL_CONNECT" });
  await device.plugIn();
  expect(await send(t, { text: "c" })).toMatchObject({ text: "ok" });
});

test("PE-04: a device unplugged in the middle of an exchange ends it at once, without waiting for its time", async () => {
  await using device = await PtyDevice.plugIn();
  device.answers = () => {
    void device.unplug();
    return undefined;
  };
  await using t = await hostWith(device.path, { timeout_seconds: 600 });
  const { text, code } = await send(t, { text: "a" });
  expect(code).toBe("PERIPHERAL_CONNECT");
  expect(text).toContain("it was unplugged; plug it in and call again");
});

test("PE-05: exchanges at one port go one at a time, in order", async () => {
  await using device = await PtyDevice.plugIn((sent) => `<${sent.toString().trim()}>\n`);
  await using t = await hostWith(device.path);
  const texts = Array.from({ length: 20 }, (_, i) => `m${i}`);
  const answers = await Promise.all(texts.map((text) => send(t, { text })));
  expect(answers.map(({ text }) => text)).toEqual(texts.map((text) => `<${text}>`));
});

test("PE-05: bytes that come too late are dropped before the next exchange, and that is said", async () => {
  await using device = await PtyDevice.plugIn((sent) => (sent.includes("a") ? "first\nsecond\n" : "third\n"));
  await using t = await hostWith(device.path);
  expect(await send(t, { text: "a" })).toMatchObject({ text: "first" });
  expect((await send(t, { text: "b" })).text).toBe(
    "third\n[dropped before it: 7 bytes that came too late for the exchange before]",
  );
});

test("PE-06: an answer that does not come, or does not end, is told after its time with what there is", async () => {
  await using device = await PtyDevice.plugIn((sent) => (sent.includes("b") ? "half" : undefined));
  await using t = await hostWith(device.path, { timeout_seconds: 0.3 });
  expect(await send(t, { text: "a" })).toMatchObject({ text: "[nothing came within 0.3 s]" });
  expect(await send(t, { text: "b" })).toMatchObject({ text: "half\n[no end came within 0.3 s]" });
});

test("PE-06: a flood of a megabyte is cut at 64 KiB, and the next exchange does not drown in it", async () => {
  await using device = await PtyDevice.plugIn();
  let isFlooding = true;
  device.answers = () => (isFlooding ? Buffer.alloc(1_048_576, "x") : "calm\n");
  await using t = await hostWith(device.path, { timeout_seconds: 30 });
  const { text } = await send(t, { text: "go" });
  expect(text).toBe(`${"x".repeat(65_536)}\n[cut after 65536 bytes]`);
  isFlooding = false;
  const after = await send(t, { text: "stop" });
  expect(after.text).toMatch(/bytes/);
  expect(Buffer.byteLength(after.text)).toBeLessThan(66_000);
});

test("PE-06: what is no text is told in hex, and what moves a terminal is taken out of text", async () => {
  await using device = await PtyDevice.plugIn((sent) =>
    sent.includes("hex") ? Buffer.from([0xff, 0x00, 0x0a]) : "\u001B[31mred\u001B[0m\r\n",
  );
  await using t = await hostWith(device.path);
  expect((await send(t, { text: "hex" })).text).toBe("ff 00 0a\n[3 bytes, which are no text, in hex]");
  expect((await send(t, { text: "colour" })).text).toBe("red");
});

test("PE-06: whatever bytes a device answers, they come back whole: as text, or in hex", async () => {
  let answer = Buffer.alloc(0);
  await using device = await PtyDevice.plugIn(() => Buffer.concat([answer, Buffer.from("END")]));
  await using t = await hostWith(device.path, { delimiter: "END" });
  const bytes = uint8Array({ maxLength: 200 }).map((list) => Buffer.from(list));
  await assert(
    asyncProperty(bytes, async (some) => {
      pre(
        !Buffer.concat([some, Buffer.from("END")])
          .subarray(0, -1)
          .includes("END"),
      );
      answer = some;
      const whole = Buffer.concat([some, Buffer.from("END")]);
      const { text } = await send(t, { text: "?" });
      const inHex = `${whole.toString("hex").replace(/(..)(?=.)/g, "$1 ")}\n[${whole.length} bytes, which are no text, in hex]`;
      const asText = stripVTControlCharacters(some.toString());
      expect([inHex, asText, asText.replace(/\r$/, "")]).toContain(text);
      expect(text === inHex).toBe(!isText(some));
    }),
    { numRuns: 60 },
  );
});

test("PE-07: what a device says is material from outside, and what it is sent leads out", async () => {
  await using t = await hostWith("/dev/null");
  const tool = t.slot(Tools).get("serial_exchange");
  expect(await tool?.effects?.({ peripheral: "sensor" }, {} as never)).toEqual({
    recipients: ["sensor"],
    brings: { material: ["the device sensor"] },
  });
  expect(tool?.hints?.openWorld).toBe(true);
});

test("PE-04: nothing stays open when the service has stopped", async () => {
  await using device = await PtyDevice.plugIn(answering("ok\n"));
  const t = await hostWith(device.path);
  await send(t, { text: "a" });
  const port = realpathSync(device.path);
  expect(isOpenHere(port)).toBe(true);
  await t.stop();
  expect(isOpenHere(port)).toBe(false);
});
