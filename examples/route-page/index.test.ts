import { imageType, Routes } from "@gantry/sdk";
import { callRoute, checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import plugin from "./index.ts";

test("SDK-07: a tool's picture reaches the model, and people see the same bytes on a page of the plugin's own", async () => {
  const args = { title: "<b>Rain</b>", numbers: [10, 90, 40] };
  const model = fakeProvider([{ calls: [{ name: "draw_bars", args }] }, "Wet on Tuesday."]);
  await using t = await startTestHost({ plugins: [plugin, model, memoryStore()] });
  await t.ask("draw the rain");
  const [, told] = model.requests;
  const parts = told?.messages.at(-1)?.parts ?? [];
  const part = parts.find(({ type }) => type === "media");
  expect(part).toMatchObject({ media: { mime: "image/png" } });
  // The picture's text stands before it, between the marks of material.
  expect(JSON.stringify(parts)).toMatch(/<<untrusted [^>]*>>\\n\[image\/png, \d+ bytes: <b>Rain<\/b>\]/);

  const route = (name: string) => t.slot(Routes).get(name)!;
  const page = await callRoute(route("GET /bars"));
  expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
  expect(page.text).toContain('<h1>&#60;b&#62;Rain&#60;/b&#62;</h1><img src="/bars.png"');
  const { bytes, headers } = await callRoute(route("GET /bars.png"));
  expect([headers["content-type"], imageType(bytes)]).toEqual(["image/png", "image/png"]);
  expect(part).toMatchObject({ media: { bytes: bytes.length } });
});

test("SDK-07: before anything was drawn the page says so", async () => {
  await using t = await startTestHost({ plugins: [plugin, memoryStore()] });
  expect((await callRoute(t.slot(Routes).get("GET /bars")!)).text).toContain("Nothing was drawn yet.");
  expect((await callRoute(t.slot(Routes).get("GET /bars.png")!)).status).toBe(404);
});

test("SDK-05: the page keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
