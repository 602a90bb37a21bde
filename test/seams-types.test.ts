import { defineTool, type ToolProgress } from "@gantry/sdk";
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
