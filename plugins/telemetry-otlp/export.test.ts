import type { Logger, NetRequest, Upstream } from "@gantry/sdk";
import { expect, test, vi } from "vitest";
import { CollectorForTests } from "./collector.test-kit.ts";
import { Collector } from "./collector.ts";
import { Export } from "./export.ts";
import { Measurements } from "./measurements.ts";
import { SentState } from "./sent-state.ts";
import { settingsFrom, type Settings } from "./settings.ts";
import type { Span } from "./span.ts";

const upstream = {
  fetch: ({ url, method = "GET", headers = {}, body = "", signal }: NetRequest) =>
    fetch(url, { method, headers, body, signal }),
} as Upstream;
const silent = { warn: () => undefined } as unknown as Logger;

function span(i: number): Span {
  const spanId = String(i + 1).padStart(16, "0");
  const common = { traceId: "a".repeat(32), start: i, end: i, attributes: {}, failed: false };
  return { ...common, spanId, name: "n", kind: "internal" };
}

function exportTo(collector: CollectorForTests, counted: string[]): Export {
  const config = { otlp_url: collector.url, sample: 1, service_name: "gantry" };
  const settings = settingsFrom(config, {}) as Settings;
  const state = new SentState(undefined);
  return new Export({
    collector: new Collector(upstream, settings, silent, state),
    state,
    settings,
    version: "1",
    measurements: new Measurements(),
    meters: {
      count: (_, labels = {}) => void counted.push(String(labels["reason"])),
      set: () => undefined,
    },
  });
}

test("TEL-01: spans beyond 2,048 that wait are dropped and counted", async () => {
  await using collector = await CollectorForTests.start();
  const counted: string[] = [];
  const sent = exportTo(collector, counted);
  for (let i = 0; i < 2_050; i += 1) sent.add(span(i));
  await sent.close();
  expect([collector.spans.length, counted]).toEqual([2_048, ["full", "full"]]);
});

test("TEL-01: what a collector puts off is sent again, each span once", async () => {
  await using collector = await CollectorForTests.start();
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const sent = exportTo(collector, []);
  const asked = new Promise<void>((resolve) => {
    collector.next = (response) => {
      response.writeHead(503).end();
      resolve();
    };
  });
  for (let i = 0; i < 600; i += 1) sent.add(span(i));
  vi.advanceTimersByTime(5_000);
  await asked;
  vi.useRealTimers();
  expect(collector.spans).toEqual([]);
  await sent.close();
  expect(new Set(collector.spans.map(({ spanId }) => spanId)).size).toBe(600);
  expect(collector.spans).toHaveLength(600);
});

test("TEL-01: an export that has nothing to send asks nobody", async () => {
  await using collector = await CollectorForTests.start();
  await exportTo(collector, []).close();
  expect(collector.requests).toEqual([]);
});
