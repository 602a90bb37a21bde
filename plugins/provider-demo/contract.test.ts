import { expect, test } from "vitest";
import { providerContract } from "@gantry/sdk/testing";
import { demo } from "./demo.ts";

test.for([...providerContract({ provider: demo })])("SDK-05: $name", async ({ run }) => {
  await expect(run()).resolves.toBeUndefined();
});
