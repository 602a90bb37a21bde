import { Checks } from "@gantry/sdk";
import { fakeProvider, startTestHost, type FakeAnswer } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import router from "./index.ts";

async function ready(config: Readonly<Record<string, unknown>>): Promise<unknown> {
  await using t = await startTestHost({ plugins: [router, fakeProvider(["hi"])], config });
  return t.slot(Checks).get("model")?.run(AbortSignal.timeout(60_000));
}

test("OPS-01: the service is not ready while no plugin serves the provider that is configured", async () => {
  expect(await ready({ default_provider: "fake" })).toEqual([]);
  expect(await ready({ default_provider: "nobody" })).toEqual([
    {
      what: "model",
      state: "fail",
      detail: expect.stringContaining("No plugin serves the provider `nobody`"),
    },
  ]);
});

test("FLR-12: a provider that keeps failing is a warning while a fallback answers, and over once it has answered", async () => {
  const failure = { code: "HTTP_500", message: "It failed with 500: try later.", retry: true, status: 500 };
  let answer: FakeAnswer = { failure };
  const named = { name: "other" };
  await using t = await startTestHost({
    plugins: [router, fakeProvider([() => answer]), fakeProvider(["from the other"], named)],
    config: {
      default_provider: "fake",
      reliability: { fallback_providers: ["other"] },
      providers: { fake: { max_retries: 0 } },
    },
  });
  const rows = () => t.slot(Checks).get("model")?.run(AbortSignal.timeout(60_000));
  for (let i = 0; i < 5; i += 1) expect((await t.ask("hello")).reply).toBe("from the other");
  expect(await rows()).toEqual([{ what: "model", state: "warn", detail: "fake: It failed with 500" }]);
  const now = performance.now.bind(performance);
  using later = vi.spyOn(performance, "now").mockImplementation(() => now() + 10_000);
  answer = "it works";
  expect((await t.ask("hello")).reply).toBe("it works");
  expect(await rows()).toEqual([{ what: "model", state: "ok", detail: "fake, other" }]);
  expect(later).toHaveBeenCalled();
});
