import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { guardContract, guardedCall } from "@gantry/sdk/testing";
import { createGuard } from "./guard.ts";
import plugin from "./index.ts";

const guard = createGuard(["forbidden"]);

test("it names the word that it refuses", () => {
  const answer = guard(guardedCall({ tool: "shell", args: { command: "echo FORBIDDEN" } }));
  assert.equal(answer?.code, "EXAMPLE_FORBIDDEN");
});

describe("the contract of a guard", () => {
  const refuses = [{ tool: "shell", args: { command: "echo forbidden" } }];
  for (const { name, run } of guardContract({
    name: plugin.name,
    guard,
    refuses,
    lets: [{ tool: "file_list" }],
  }))
    test(name, run);
});
