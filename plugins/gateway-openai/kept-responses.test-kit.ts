import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Store, textOf, type ChatRequest } from "@gantry/sdk";
import type OpenAI from "openai";
import { onTestFinished } from "vitest";
import type { OpenAIGateway } from "./openai.test-kit.ts";

export const model = "gantry";

export async function folder(): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), "gantry-responses-"));
  onTestFinished(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

/** Returns the words of people and model in a request, without the system's part. */
export function saidIn(request: ChatRequest | undefined): readonly string[] {
  return (request?.messages ?? []).slice(1).map(({ parts }) => textOf(parts).split("\n").at(-1) ?? "");
}

/** A model that answers each message with it. */
export const echo = [
  ({ messages }: ChatRequest) =>
    `re ${textOf(messages.at(-1)?.parts ?? [])
      .split("\n")
      .at(-1)}`,
];

export const say = (client: OpenAI, input: string, previous?: string) =>
  client.responses.create({
    model,
    input,
    ...(previous !== undefined && { previous_response_id: previous }),
  });

export const failure = (work: Promise<unknown>) =>
  work.then(
    () => "worked",
    ({ status, code, param }: InstanceType<typeof OpenAI.APIError>) => [status, code, param],
  );

export const sessionsOf = async ({ host }: OpenAIGateway) =>
  (await host.slot(Store).sessions.list(99)).map(({ id, owner }) => ({ id, owner }));
