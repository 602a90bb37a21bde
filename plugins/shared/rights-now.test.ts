import * as fc from "fast-check";
import type { Trust } from "@gantry/sdk";
import { expect, test } from "vitest";
import { rightsNow } from "./rights-now.ts";

const widths: readonly (Trust | undefined)[] = [undefined, "guest", "member", "owner"];
const trust = () => fc.constantFrom<Trust>("guest", "member", "owner");

test("AGT-11: work goes on with no more than was had then, nor than is had now", async () => {
  const now = fc.option(trust(), { nil: undefined });
  const began = fc.option(trust(), { nil: undefined });
  const user = fc.constantFrom("chat:eve", "http:d0123456789ab", "cli:root");
  await fc.assert(
    fc.asyncProperty(user, began, now, async (whose, then, current) => {
      const names = ["chat", "devices"];
      const doors = new Map(names.map((name) => [name, { name, trust: async () => current }]));
      const rights = await rightsNow(doors, whose, then);
      const isLost = widths.indexOf(current) < widths.indexOf(then ?? "guest");
      const known = isLost ? undefined : current;
      const held = whose === "cli:root" ? (then ?? "owner") : known;
      expect("trust" in rights ? rights.trust : undefined).toBe(held);
    }),
  );
});
