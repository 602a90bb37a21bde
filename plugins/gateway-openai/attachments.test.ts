import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Media, textOf, type MediaRef, type Plugin } from "@gantry/sdk";
import { fakeNet } from "@gantry/sdk/testing";
import { expect, test } from "vitest";
import netUndici from "../net-undici/index.ts";
import { start, type OpenAIGateway } from "./openai.test-kit.ts";

const gif = "GIF89a and more";
const base64 = (text: string): string => Buffer.from(text).toString("base64");
const picture = `data:image/gif;base64,${base64(gif)}`;

type Part = Readonly<Record<string, unknown>>;

/** The form of a picture and of a file in each API. */
const doors = [
  {
    path: "/v1/chat/completions",
    body: (parts: readonly Part[]) => ({ messages: [{ role: "user", content: parts }] }),
    image: (url: string): Part => ({ type: "image_url", image_url: { url } }),
    file: (file: Part): Part => ({ type: "file", file }),
  },
  {
    path: "/v1/responses",
    body: (parts: readonly Part[]) => ({ input: [{ role: "user", content: parts }] }),
    image: (url: string): Part => ({ type: "input_image", image_url: url }),
    file: (file: Part): Part => ({ type: "input_file", ...file }),
  },
] as const;
type Door = (typeof doors)[number];

async function send(gateway: OpenAIGateway, { path, body }: Door, ...parts: readonly Part[]) {
  const { token } = gateway;
  const asked = { model: "gantry", ...body(parts) };
  const { status, json } = await gateway.ask(path, { body: asked, token });
  const { code, message, param } = json.error ?? {};
  return { status, code, message, param };
}

/** Returns the media of the last message that the model was shown, with their bytes. */
async function mediaIn({ model, host }: OpenAIGateway) {
  const parts = model.requests.at(-1)?.messages.at(-1)?.parts ?? [];
  const refs = parts.flatMap((part): MediaRef[] => (part.type === "media" ? [part.media] : []));
  const bytes = refs.map(async ({ id, mime, name }) => {
    const kept = await host.slot(Media).open(id);
    return { mime, name, text: Buffer.from(kept ?? []).toString() };
  });
  return Promise.all(bytes);
}

test.each(doors)("OAI-07: $path takes pictures in data: addresses as media", async (door) => {
  await using gateway = await start(["A picture."]);
  expect(await send(gateway, door, door.image(picture))).toMatchObject({ status: 200 });
  expect(await mediaIn(gateway)).toEqual([{ mime: "image/gif", name: undefined, text: gif }]);
});

test.each(doors)("OAI-07: $path takes files with their names, typed by what they are", async (door) => {
  await using gateway = await start(["Files."]);
  const pdf = { file_data: base64("%PDF-1.7"), filename: "plan.pdf" };
  const note = { file_data: `data:text/plain;charset=utf-8;base64,${base64("hi")}`, filename: "a.txt" };
  expect(await send(gateway, door, door.file(pdf), door.file(note))).toMatchObject({ status: 200 });
  expect(await mediaIn(gateway)).toEqual([
    { mime: "application/pdf", name: "plan.pdf", text: "%PDF-1.7" },
    { mime: "text/plain", name: "a.txt", text: "hi" },
  ]);
});

test.each(doors)("OAI-07: $path refuses an address with the cure, and reaches none", async (door) => {
  const visits: string[] = [];
  const server = createServer(({ url = "" }, response) => void response.end(String(visits.push(url))));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const local = `http://127.0.0.1:${port}/a.gif`;
  const reached = fakeNet([{ url: /./, replies: [{ body: gif }] }]);
  try {
    for (const net of [netUndici as Plugin, reached]) {
      await using gateway = await start([], {}, [net], { config: { security: { allowed_domains: ["*"] } } });
      const urls = [local, "https://pictures.example/a.gif", "http://169.254.169.254/", "file:///etc/passwd"];
      const parts = urls.map(door.image).concat(door.file({ file_url: local }));
      for (const part of parts) {
        const answer = await send(gateway, door, part);
        expect(answer).toMatchObject({ status: 400, code: "OPENAI_ADDRESS" });
        expect(answer.message).toContain("data:");
      }
      expect(gateway.model.requests).toEqual([]);
    }
    expect(visits).toEqual([]);
  } finally {
    server.close();
  }
});

test.each(doors)("OAI-07: $path refuses what is no picture", async (door) => {
  await using gateway = await start([]);
  const html = `data:text/html;base64,${base64("<html>")}`;
  for (const url of [html, "data:image/gif,plain", "nonsense"])
    expect(await send(gateway, door, door.image(url))).toMatchObject({ status: 400 });
});

test.each(doors)("OAI-07: a body of $path beyond 20 MiB is 413", async (door) => {
  await using gateway = await start([]);
  const large = door.image(`data:image/gif;base64,${"A".repeat(20 * 1024 * 1024)}`);
  expect(await send(gateway, door, large)).toMatchObject({ status: 413 });
});

test("OAI-07: a picture is continued with, and its bytes are not listed", async () => {
  await using gateway = await start(["A picture.", "Still."]);
  const { responses } = gateway.client;
  const image = { type: "input_image", image_url: picture, detail: "auto" } as const;
  const input = [{ role: "user", content: [image] }] as const;
  const made = await responses.create({ model: "gantry", input: [...input] as never });
  await responses.create({ model: "gantry", input: "and?", previous_response_id: made.id });
  const texts = gateway.model.requests[1]?.messages.map(({ parts }) => textOf(parts));
  expect(texts?.[1]).toContain("image/gif");
  const { data } = await responses.inputItems.list(made.id);
  expect(data).toMatchObject([{ content: [{ type: "input_image", image_url: null }] }]);
});
