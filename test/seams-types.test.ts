import { defineTool, type Outbox, type ToolOrigin, type ToolProgress } from "@gantry/sdk";
import { Type } from "typebox";
import { expect, expectTypeOf, test } from "vitest";

/** Checked by `tsc -b`: a line under `@ts-expect-error` that compiles is an error there. */
const input = Type.Object({});

test("SDK-15: progress is a number with a total and a text, and an older host has none", () => {
  const made = defineTool({
    name: "t",
    description: "t",
    input,
    async run({ progress }) {
      expectTypeOf(progress).toEqualTypeOf<((step: ToolProgress) => void) | undefined>();
      const wrong = (): void => {
        // @ts-expect-error -- may be absent
        progress({ done: 1 });
        // @ts-expect-error -- how far is a number
        progress?.({ done: "half" });
        // @ts-expect-error -- how far is missing
        progress?.({ total: 3 });
      };
      expect(wrong).toBeTypeOf("function");
      return "";
    },
  });
  expect(made.name).toBe("t");
});

test("SDK-15: an origin fits the outbox as it is, may be absent, and cannot be set", () => {
  const said = async (origin: ToolOrigin | undefined, outbox: Outbox): Promise<void> => {
    // @ts-expect-error -- may be absent
    void origin.channel;
    if (!origin) return;
    await outbox.send({ ...origin, parts: [], key: "k" });
    // @ts-expect-error -- whose chat it is nobody changes
    origin.replyTo = "other";
    // @ts-expect-error -- nothing is said without a key
    await outbox.send({ ...origin, parts: [] });
  };
  expect(said).toBeTypeOf("function");
});
