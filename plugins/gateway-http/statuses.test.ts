import { defineErrors, definePlugin, errors, failed, policy, Routes, usage } from "@gantry/sdk";
import { callRoute, createMemoryStore, fakeProvider, memoryStore } from "@gantry/sdk/testing";
import { expect, test, vi } from "vitest";
import { startGateway } from "./gateway.test-kit.ts";

const table = defineErrors({
  SHELF_NONE: failed("There is no shelf %s.", 404),
  SHELF_TAKEN: policy("The shelf %s is taken.", 409),
  SHELF_NAME: usage("%s is not a shelf."),
  SHELF_GOOD: failed("%s is no failure.", 200),
});
const expected = { SHELF_NONE: 404, SHELF_TAKEN: 409, SHELF_NAME: 400, SHELF_GOOD: 500 };

const shelves = definePlugin({
  name: "shelves",
  provides: [Routes],
  errors: table,
  setup(host) {
    const facts = { method: "GET", summary: "Throws.", auth: "token", may: "read" } as const;
    for (const [code, make] of Object.entries(table)) {
      const handle = async (): Promise<never> => {
        throw make("a");
      };
      host.provide(Routes, { ...facts, name: code, path: `/shelf/${code.toLowerCase()}`, handle });
    }
  },
});

test("GW-01: a coded error of a plugin's route is answered with the status of its row, else by its exit code", async () => {
  await using gateway = await startGateway({ plugins: [memoryStore(), shelves] });
  const { token } = await gateway.pair();
  for (const [code, status] of Object.entries(expected)) {
    const answer = await gateway.ask(`/shelf/${code.toLowerCase()}`, { token });
    expect([answer.json.error.code, answer.status]).toEqual([code, status]);
    const tried = await callRoute(gateway.host.slot(Routes).get(code)!);
    expect([tried.json().error.code, tried.status]).toEqual([code, status]);
  }
});

test("GW-01: a conversation that another process took over is a conflict, and the caller is to ask again", async () => {
  const store = createMemoryStore();
  vi.spyOn(store.sessions, "append").mockRejectedValue(errors.LEASE_LOST("http:a"));
  await using gateway = await startGateway({ plugins: [memoryStore(store), fakeProvider(["hello"])] });
  const { token } = await gateway.pair();
  const { status, json } = await gateway.ask("/api/chat", { token, body: { message: "hi" } });
  expect([status, json.error.code]).toEqual([409, "LEASE_LOST"]);
  expect(json.error.message).toMatch(/nothing of this was kept.* ask again/);
});
