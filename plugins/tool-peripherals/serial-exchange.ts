import { stripVTControlCharacters } from "node:util";
import { defineTool, type Tool, type ToolResult } from "@gantry/sdk";
import { Type } from "typebox";
import { errors } from "./errors.ts";
import { REPLY_BYTES, type Exchange, type SerialDevice } from "./serial-device.ts";

/** Other exchanges that wait at the same port, and the opening of it. */
const GRACE_MS = 10_000;
const MAX_MESSAGES = 100;
/** Signs that no text holds, but for tab and line ends. */
const NOT_TEXT = /[^\P{Cc}\t\r\n]/u;

export function serialExchangeTool(devices: ReadonlyMap<string, SerialDevice>): Tool {
  const names = [...devices.keys()];
  const longest = Math.max(0, ...[...devices.values()].map(({ settings }) => settings.timeoutMs));
  return defineTool({
    name: "serial_exchange",
    description:
      "Sends a message to a device at a serial port and gives what it answers. The end of a message is added to text by itself.",
    input: Type.Object({
      peripheral: Type.Enum(names, { description: "The device." }),
      text: Type.Optional(Type.String({ maxLength: 16_384, description: "What to send." })),
      hex: Type.Optional(
        Type.String({
          maxLength: 32_768,
          description: "Instead of text: bytes in hex, sent as they are. With neither, it only listens.",
        }),
      ),
      messages: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_MESSAGES,
          description: "How many messages to wait for; default 1.",
        }),
      ),
    }),
    timeoutMs: 2 * longest + GRACE_MS,
    hints: { openWorld: true },
    offered: () => names.length > 0,
    effects: ({ peripheral }) => ({
      recipients: [peripheral],
      brings: { material: [`the device ${peripheral}`] },
    }),
    preview: ({ peripheral, text, hex }) => {
      if (text === undefined && hex === undefined) return `listen to ${peripheral}`;
      return `send to ${peripheral}: ${text === undefined ? `bytes ${hex}` : JSON.stringify(text)}`;
    },
    async run({ args: { peripheral, text, hex, messages = 1 }, signal }) {
      const device = devices.get(peripheral) as SerialDevice;
      const bytes = outgoing(device, text, hex);
      const exchange = await device.exchange({ bytes, messages }, signal);
      return report(exchange, device);
    },
  });
}

function outgoing({ settings }: SerialDevice, text: string | undefined, hex: string | undefined): Buffer {
  if (hex !== undefined) {
    if (text !== undefined) throw errors.PERIPHERAL_TEXT_AND_HEX();
    const digits = hex.replaceAll(/[\s:]/g, "");
    if (!/^(?:[0-9a-f]{2})*$/i.test(digits)) throw errors.PERIPHERAL_BAD_HEX(hex.slice(0, 80));
    return Buffer.from(digits, "hex");
  }
  if (text === undefined) return Buffer.alloc(0);
  return Buffer.from(text.endsWith(settings.delimiter) ? text : text + settings.delimiter);
}

/** Returns the reply, then what a person would ask about it. */
function report({ reply, complete, cut, late }: Exchange, { settings }: SerialDevice): ToolResult {
  const { shown, notes } = readable(reply, settings.delimiter, cut);
  const seconds = settings.timeoutMs / 1_000;
  if (cut) notes.push(`cut after ${REPLY_BYTES} bytes`);
  else if (!complete)
    notes.push(reply.length === 0 ? `nothing came within ${seconds} s` : `no end came within ${seconds} s`);
  if (late > 0) notes.push(`dropped before it: ${late} bytes that came too late for the exchange before`);
  const frame = notes.length > 0 ? [`[${notes.join("; ")}]`] : [];
  return { text: [...(shown === "" ? [] : [shown]), ...frame].join("\n"), failed: !complete };
}

function readable(reply: Buffer, delimiter: string, cut: boolean): { shown: string; notes: string[] } {
  try {
    const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(reply, { stream: cut });
    // Colours and movements of a terminal are taken out.
    const shown = stripVTControlCharacters(
      text.endsWith(delimiter) ? text.slice(0, -delimiter.length) : text,
    );
    if (!NOT_TEXT.test(shown)) return { shown: shown.replace(/\r$/, ""), notes: [] };
  } catch {
    // Told as bytes below.
  }
  const shown = reply.toString("hex").replace(/(..)(?=.)/g, "$1 ");
  return { shown, notes: [`${reply.length} bytes, which are no text, in hex`] };
}
