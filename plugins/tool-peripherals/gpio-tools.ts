import { defineTool, type Tool } from "@gantry/sdk";
import { Type } from "typebox";
import type { GpioChip } from "./gpio-chip.ts";

type Chips = ReadonlyMap<string, GpioChip>;

export function gpioReadTool(chips: Chips): Tool {
  return defineTool({
    name: "gpio_read",
    description: `Tells whether a line is 1 or 0. ${listed(chips)}`,
    input: Type.Object({ peripheral: Type.Enum([...chips.keys()]), line: Type.String({ maxLength: 32 }) }),
    offered: () => chips.size > 0,
    effects: ({ peripheral }) => ({ brings: { material: [`the device ${peripheral}`] } }),
    preview: ({ peripheral, line }) => `read ${line} of ${peripheral}`,
    async run({ args: { peripheral, line } }) {
      return `${line} of ${peripheral} is ${await chipOf(chips, peripheral).read(line)}`;
    },
  });
}

export function gpioWriteTool(chips: Chips): Tool {
  return defineTool({
    name: "gpio_write",
    description: `Sets an output line to 1 or 0; it keeps that until it is set again. ${listed(chips)}`,
    input: Type.Object({
      peripheral: Type.Enum([...chips.keys()]),
      line: Type.String({ maxLength: 32 }),
      value: Type.Integer({ minimum: 0, maximum: 1 }),
    }),
    hints: { destructive: true, idempotent: true },
    offered: () => chips.size > 0,
    effects: ({ peripheral, line }) => ({ recipients: [`${peripheral}/${line}`] }),
    preview: ({ peripheral, line, value }) => `set ${line} of ${peripheral} to ${value}`,
    async run({ args: { peripheral, line, value } }) {
      await chipOf(chips, peripheral).write(line, value === 1 ? 1 : 0);
      return `${line} of ${peripheral} is now ${value}`;
    },
  });
}

function chipOf(chips: Chips, name: string): GpioChip {
  return chips.get(name) as GpioChip;
}

/** Lists the lines for the model: `lamp: led (out)`. */
function listed(chips: Chips): string {
  const lines = [...chips.values()].map(({ settings }) => {
    const names = [...settings.lines.values()].map(({ name, direction }) => `${name} (${direction})`);
    return `${settings.name}: ${names.join(", ")}`;
  });
  return `There are ${lines.join("; ")}.`;
}
