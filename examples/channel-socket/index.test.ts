import { stat } from "node:fs/promises";
import { connect } from "node:net";
import path from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { checkPlugin, fakeProvider, memoryStore, startTestHost } from "@gantry/sdk/testing";
import plugin from "./index.ts";

test("SDK-05: a line written to the socket is answered by a line, and only its owner may connect", async () => {
  await using t = await startTestHost({ plugins: [plugin, fakeProvider(["Good day."]), memoryStore()] });
  await t.serve();
  const file = path.join(t.configDir, "state/talk.sock");
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const socket = connect(file);
  const answer = new Promise<string>((resolve) => createInterface(socket).once("line", resolve));
  socket.write("hello\n");
  expect(await answer).toBe("Good day.");
  socket.destroy();
});

test("SDK-05: the channel keeps the contract of its kind", async () => {
  expect((await checkPlugin({ plugin })).findings).toEqual([]);
});
