import * as fc from "fast-check";
import type { Trust } from "@gantry/sdk";
import { expect, test } from "vitest";
import { rightsNow, type RightsNow } from "./rights-now.ts";

const widths: readonly (Trust | undefined)[] = [undefined, "guest", "member", "owner"];
const trust = () => fc.constantFrom<Trust>("guest", "member", "owner");
const device = "d0123456789ab";
const held = (rights: RightsNow) => ("trust" in rights ? rights.trust : undefined);

/** Returns doors at which everybody in `ids`, or everybody, is trusted so far. */
const doorsOf = (names: readonly string[], now: Trust | undefined, ids?: readonly string[]) =>
  new Map(
    names.map((name) => [
      name,
      { name, trust: async (id: string) => (ids && !ids.includes(id) ? undefined : now) },
    ]),
  );

test("AGT-11: work goes on with no more than was had then, nor than is had now", async () => {
  const now = fc.option(trust(), { nil: undefined });
  const began = fc.option(trust(), { nil: undefined });
  const user = fc.constantFrom("chat:eve", `http:${device}`, `openai:${device}`, `mcp:${device}`, "cli:root");
  await fc.assert(
    fc.asyncProperty(user, began, now, async (whose, then, current) => {
      const rights = await rightsNow(doorsOf(["chat", "devices"], current), whose, then);
      const isLost = widths.indexOf(current) < widths.indexOf(then ?? "guest");
      const known = isLost ? undefined : (then ?? current);
      expect(held(rights)).toBe(whose === "cli:root" ? (then ?? "owner") : known);
    }),
  );
});

test.each([
  ["a channel that is no longer configured", "telegram:43"],
  ["a door that has no list, under the id of a device", `irc:${device}`],
  ["a device written with a space", `http:${device} `],
  ["a device in capitals", `http:${device.toUpperCase()}`],
  ["a device of a device", `http:http:${device}`],
  ["a caller without a device, once one is needed", "http:local"],
  ["the list of devices itself", `devices:${device}`],
  ["a name without a door", "nobody"],
  ["a door that only begins like the terminal", "client:me"],
  ["a device that is called like a program's pipe", "mcp:stdio:x"],
])("AGT-11: %s has no rights", async (_, user) => {
  const doors = doorsOf(["devices"], "owner", [device]);
  for (const began of ["guest", "owner", undefined] as const)
    expect(await rightsNow(doors, user, began)).toEqual({ lost: `${user} may not write here any more.` });
});

test.each(["acp:work", "cli:root", "jobs:water", "mcp:stdio"])("AGT-11: %s needs no list", async (user) => {
  expect(await rightsNow(undefined, user, undefined)).toEqual({ trust: "owner" });
});
