import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { memoryStore, fakeProvider } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import { startGateway } from "../gateway-http/gateway.test-kit.ts";
import plugin from "./index.ts";
import { place, useHome, work, write } from "./skills.test-kit.ts";

useHome();

/** A gateway that serves skills, and what asks its routes with a token for everything. */
async function served() {
  const gateway = await startGateway({
    plugins: [plugin, memoryStore(), fakeProvider(["ok"])],
    config: { security: { workspace_path: work() } },
  });
  const { token, device_id } = await gateway.pair();
  const ask = async (name: string, body?: object) => {
    const at = `/api/acceptance/skills${name}`;
    const { status, json } = await gateway.ask(at, { token, ...(body && { body }) });
    return { status, json };
  };
  return Object.assign(gateway, { routes: ask, device: `http:${device_id}` });
}

test("AGT-13: a skill is listed, looked at and accepted over HTTP, audited as the device's", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const row = { id: folder, name: "rhyme", detail: "How to rhyme." };
  expect((await t.routes("")).json).toEqual({ rows: [{ ...row, state: "not accepted" }] });
  const { json: look } = await t.routes("/look", { id: folder });
  expect(look).toMatchObject({ state: "not accepted", text: expect.stringContaining("rhymes.") });
  await t.routes("/accept", { id: folder, digest: look.digest });
  expect((await t.routes("")).json).toEqual({ rows: [{ ...row, state: "accepted" }] });
  const args = { skill: "rhyme", folder, hash: look.digest };
  const said = { args, result: "skill is accepted", user: t.device };
  expect(t.host.audit).toContainEqual(expect.objectContaining(said));
});

test("AGT-13: a skill that changes after the look is not accepted over HTTP", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const { digest } = (await t.routes("/look", { id: folder })).json;
  await writeFile(path.join(folder, "notes.txt"), "Other notes.");
  const { status, json } = await t.routes("/accept", { id: folder, digest });
  expect([status, json.error.code]).toEqual([403, "SKILL_OTHER"]);
  expect((await t.routes("")).json.rows).toMatchObject([{ state: "not accepted" }]);
});

test("AGT-13: what changed since a skill was accepted is a diff, files beside it too", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const { digest } = (await t.routes("/look", { id: folder })).json;
  await t.routes("/accept", { id: folder, digest });
  const file = path.join(folder, "SKILL.md");
  await writeFile(file, (await readFile(file, "utf8")).replace("rhymes", "prose\u200b"));
  await writeFile(path.join(folder, "scripts", "run.sh"), "echo ran\n");
  const { json } = await t.routes("/look", { id: folder });
  expect(json.state).toBe("changed");
  expect(json.changes).toMatch(/^-.*run\.sh  9 bytes.*sha256[^]*^\+.*run\.sh  9 bytes/m);
  expect(json.changes).toMatch(/^-.*Say it in rhymes\.\n\+.*Say it in prose\\u200b\./m);
});

test("AGT-13: an acceptance is taken back over HTTP, and then there is none to take back", async () => {
  const folder = await write(place(), "rhyme");
  await using t = await served();
  const { digest } = (await t.routes("/look", { id: folder })).json;
  await t.routes("/accept", { id: folder, digest });
  expect((await t.routes("/withdraw", { id: folder })).status).toBe(200);
  expect((await t.routes("")).json.rows).toMatchObject([{ state: "not accepted" }]);
  const { status, json } = await t.routes("/withdraw", { id: folder });
  expect([status, json.error.code]).toEqual([403, "SKILL_NOT_ACCEPTED"]);
});

test("AGT-13: skills over HTTP come page by page, each once", async () => {
  for (const name of ["a", "b", "c", "d", "e"]) await write(place(), name);
  await using t = await served();
  const names: string[] = [];
  for (let query = "?limit=2"; ;) {
    const { rows, next } = (await t.routes(query)).json;
    names.push(...rows.map(({ name }: { name: string }) => name));
    if (next === undefined) break;
    query = `?limit=2&after=${encodeURIComponent(next)}`;
  }
  expect(names).toEqual(["a", "b", "c", "d", "e"]);
});
