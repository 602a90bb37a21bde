import http from "node:http";
import { startModelServer } from "./model-server.ts";
import { pairedGateway, post, type Target } from "./paired-gateway.ts";
import { median } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const parallel = 50;
const rounds = 20;
const modelMs = 100;

/** Turns at a time at the doors of OpenAI's API, twice each: a token has 600 a minute of either. */
const many = 200;

/**
 * Measures what a turn over HTTP takes beyond asking the same model directly, with 50 at a time,
 * and a response, which is kept, against a chat completion.
 */
export async function chatTurnRows(): Promise<readonly Row[]> {
  const model = await startModelServer(modelMs);
  try {
    await using gateway = await pairedGateway(
      () =>
        `default_provider = "custom:${model.url}"\ndefault_model = "m"\n[gateway]\nrequests_per_minute = 100000\n`,
    );
    const headers = await gateway.pair();
    const turn = { url: `${gateway.url}/api/chat`, body: { message: "hi" }, headers };
    const direct = {
      url: `${model.url}/chat/completions`,
      body: { model: "m", messages: [], stream: true },
      headers: {},
    };
    await times(turn, 5);
    const ours = await times(turn, rounds);
    const theirs = await times(direct, rounds);
    const door = (at: string, body: object) => ({ ...turn, url: `${gateway.url}/v1/${at}`, body });
    const messages = [{ role: "user", content: "hi" }];
    const completion = door("chat/completions", { model: "gantry", messages });
    const response = door("responses", { model: "gantry", input: "hi" });
    for (const one of [completion, response]) await times(one, 1);
    const completions = await times(completion, 2, many);
    const responses = await times(response, 2, many);
    return [
      atMost(
        "the host's share of a chat turn over HTTP, median at 50 in parallel",
        median(ours) - median(theirs),
        10,
        " ms",
      ),
      atMost(
        "the host's share of a chat turn over HTTP, p99 at 50 in parallel",
        p99(ours) - p99(theirs),
        25,
        " ms",
      ),
      atMost(
        `a response against a chat completion, p99 at ${many} in parallel`,
        p99(responses) / p99(completions),
        1.2,
        "x",
      ),
    ];
  } finally {
    model.close();
  }
}

/**
 * Milliseconds of each request. Clients begin one after the other, as people do, each from an
 * address of its own, so that none meets its bound on connections.
 */
async function times(target: Target, count: number, clients: number = parallel): Promise<readonly number[]> {
  const all: number[] = [];
  const client = async (_: unknown, i: number): Promise<void> => {
    const agent = new http.Agent({
      keepAlive: true,
      maxSockets: 1,
      localAddress: `127.0.1.${i + 1}`,
    } as http.AgentOptions);
    await new Promise((resolve) => setTimeout(resolve, (i * modelMs) / clients));
    for (let n = 0; n < count; n += 1) {
      const began = performance.now();
      await post(target, agent);
      all.push(performance.now() - began);
    }
    agent.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
  return all;
}

function p99(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] as number;
}
