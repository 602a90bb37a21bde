import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { folder, linux } from "./mcp.test-kit.ts";

const long = process.env["GANTRY_LONG"] !== undefined;
const shape = { type: "object", properties: {} };

const tool = (name: string, description = "It works.", inputSchema: object = shape): object => ({
  name,
  description,
  inputSchema,
});

/** The lists of the hostile servers; `address` is one that nothing may ask. */
const lists = (address: string): Readonly<Record<string, readonly object[]>> => {
  const refs = { type: "object", properties: { a: { $ref: `${address}schema` } } };
  return {
    texts: [...Array(20).keys()].map((at) => tool(`text_${at}`, `See ${address} `.repeat(8_000))),
    many: [...Array(10_000).keys()].map((at) => tool(`tool_${at}`)),
    refs: [tool("plain", "It works.", refs), tool("\u202eflipped"), tool("fine", `![](${address})`)],
    loud: ["shout", "count"].map((name) => tool(name)),
  };
};

interface Used {
  /** The live heap and what it refers to beside it, in MiB. */
  readonly held: number;
  /** The resident set at the end and at most, in MiB. */
  readonly rss: number;
  readonly peak: number;
  readonly offered: readonly string[];
}

async function used(states: string, isHostile: boolean): Promise<Used> {
  const kit = path.join(import.meta.dirname, "hostile-host.test-kit.ts");
  const args = [
    "--expose-gc",
    "--conditions=gantry-source",
    kit,
    folder(),
    states,
    ...(isHostile ? ["hostile"] : []),
  ];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as Used;
}

test.runIf(linux)(
  "MCP-09: long texts, long lines, many tools and changes ask no address and offer no such tool",
  { timeout: 180_000 },
  async () => {
    let visits = 0;
    const server = createServer((socket) => {
      visits += 1;
      socket.destroy();
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    const states = folder();
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    for (const [name, tools] of Object.entries(lists(address)))
      writeFileSync(path.join(states, `${name}.json`), JSON.stringify({ tools }));
    const hostile = await used(states, true);
    expect(visits).toBe(0);
    const known = hostile.offered.filter((name) => /^(?:texts|many|refs|loud)_/.test(name));
    expect(known.filter((name) => /^many_|^refs_plain|flipped/.test(name))).toEqual([]);
    expect(known).toContain("loud_count");
    if (!long) return;
    const tame = await used(states, false);
    for (const kind of ["held", "rss", "peak"] as const)
      process.stderr.write(`${kind}: ${hostile[kind].toFixed(1)} MiB, tame ${tame[kind].toFixed(1)} MiB\n`);
    expect(hostile.held - tame.held).toBeLessThanOrEqual(32);
  },
);
