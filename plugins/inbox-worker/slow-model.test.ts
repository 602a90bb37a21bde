import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Store } from "@gantry/sdk";
import { startTestHost } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import net from "../net-undici/index.ts";
import chat from "../provider-chat-completions/index.ts";
import router from "../provider-router/index.ts";
import store from "../store-sqlite/index.ts";
import { chunk } from "../../test/helpers/model.ts";
import { chat as channel, simulateTime, write } from "../../test/helpers/waiting.ts";

/** The HTTP server of a model with one slot: it answers the requests in turn, one for each call. */
async function oneSlot() {
  const queue: ServerResponse[] = [];
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      // Only a completion takes the slot; there is no list of models.
      if (request.method !== "POST") return void response.writeHead(404).end();
      asked += 1;
      queue.push(response);
      server.emit("asked");
      response.on("close", () => {
        const at = queue.indexOf(response);
        if (at >= 0) queue.splice(at, 1);
      });
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    provider: `custom:http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
    async untilAsked(count: number): Promise<void> {
      for (;;) {
        if (asked >= count) return;
        await once(server, "asked");
      }
    },
    answer(): void {
      const response = queue.shift();
      response?.writeHead(200, { "content-type": "text/event-stream" });
      response?.end(`${chunk({ content: "fine" }, "stop")}data: [DONE]\n\n`);
    },
    async [Symbol.asyncDispose](): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** Real time, in which sockets and files go on. */
const [tick, wait] = [setImmediate, setTimeout];

/**
 * Simulated time runs no faster than real time here: on a busy machine no request runs out of it.
 */
async function until(done: () => boolean): Promise<void> {
  while (!done()) {
    await vi.advanceTimersByTimeAsync(1);
    await new Promise((resolve) => wait(resolve, 1));
  }
}

test("INB-01: three questions to a slow model with one slot are three requests", async () => {
  using _ = simulateTime();
  await using model = await oneSlot();
  const people = channel();
  const plugins = [people.plugin, net, chat, router, store];
  await using t = await startTestHost({
    plugins,
    config: { default_provider: model.provider, default_model: "m" },
  });
  await t.serve();
  const before = model.asked();
  for (const from of ["ann", "ben", "cay"]) await write(t, from, ["hi"]);
  await model.untilAsked(before + 3);
  for (let answered = 1; answered <= 3; answered += 1) {
    // The model is silent for as long as a slow one is, and sockets carry whatever is asked
    // meanwhile.
    for (let second = 0; second < 25; second += 1) {
      await vi.advanceTimersByTimeAsync(1_000);
      for (let i = 0; i < 20; i += 1) await new Promise((resolve) => tick(resolve));
    }
    model.answer();
    await until(() => people.sent.length >= answered);
  }
  expect(model.asked() - before).toBe(3);
  expect(people.sent.map(({ to, text }) => `${to}: ${text}`).toSorted()).toEqual([
    "ann: fine",
    "ben: fine",
    "cay: fine",
  ]);
  expect(await t.slot(Store).lanes.stats()).toMatchObject({ waiting: 0, deadLetters: 0 });
});
