import { Checks } from "@gantry/sdk";
import { fakeProvider, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import router from "./index.ts";

async function ready(config: Readonly<Record<string, unknown>>): Promise<unknown> {
  await using t = await startTestHost({ plugins: [router, fakeProvider(["hi"])], config });
  return t.slot(Checks).get("providers-ready")?.run(AbortSignal.timeout(60_000));
}

test("OPS-01: the service is not ready while no plugin serves the provider that is configured", async () => {
  expect(await ready({ default_provider: "fake" })).toEqual([]);
  expect(await ready({ default_provider: "nobody" })).toEqual([
    {
      what: "provider",
      state: "fail",
      detail: expect.stringContaining("No plugin serves the provider `nobody`"),
    },
  ]);
});
