import http from "node:http";
import { startModelServer } from "./model-server.ts";
import { pairedGateway, post, type PairedGateway, type Target } from "./paired-gateway.ts";
import { median, memory, processorTime } from "./processes.ts";
import { atMost, type Row } from "./row.ts";

const rounds = 100;
const modelMs = 20;
const idle = 1_000;
/** A token may have 256 requests under way. */
const perToken = 200;

/** Measures the first character of a streamed answer, and streams in which nothing comes. */
export async function streamRows(): Promise<readonly Row[]> {
  const model = await startModelServer(modelMs);
  try {
    await using gateway = await pairedGateway(
      () =>
        `default_provider = "custom:${model.url}"\ndefault_model = "m"\n[gateway]\nrequests_per_minute = 100000\n`,
    );
    const { url } = gateway;
    const headers = await gateway.pair();
    const turn = { url: `${url}/api/chat`, body: { message: "hi", stream: true }, headers };
    const direct = {
      url: `${model.url}/chat/completions`,
      body: { model: "m", messages: [], stream: true },
      headers: {},
    };
    await firsts(turn, 20);
    const share = median(await firsts(turn, rounds)) - median(await firsts(direct, rounds));
    return [
      atMost("the host's share of the time to the first streamed character", share, 10, " ms"),
      ...(await idleRows(gateway)),
    ];
  } finally {
    model.close();
  }
}

/** Milliseconds to the first piece that holds the model's `hello`, one request after the other. */
async function firsts(target: Target, count: number): Promise<readonly number[]> {
  const agent = new http.Agent({ keepAlive: true });
  const all: number[] = [];
  for (let n = 0; n < count; n += 1) {
    const began = performance.now();
    let first = 0;
    await post(target, agent, (piece) => {
      if (!first && piece.includes("hello")) first = performance.now() - began;
    });
    all.push(first);
  }
  agent.destroy();
  return all;
}

/** The memory and the processor time of event streams that are open while nothing happens. */
async function idleRows({ url, pid, pair }: PairedGateway): Promise<readonly Row[]> {
  const before = memory(pid, "VmRSS");
  const open: http.ClientRequest[] = [];
  for (let n = 0; n < idle; n += perToken) {
    const headers = await pair();
    const localAddress = `127.0.1.${n / perToken + 1}`;
    const some = Array.from({ length: perToken }, () =>
      stream(`${url}/api/approvals/events`, { headers, localAddress }),
    );
    open.push(...(await Promise.all(some)));
  }
  const mib = memory(pid, "VmRSS") - before;
  const began = processorTime(pid);
  await new Promise((resolve) => setTimeout(resolve, 15_000));
  const ms = (processorTime(pid) - began) * 4;
  for (const request of open) request.destroy();
  return [
    atMost(`${idle} idle event streams: memory of the service`, mib, 64, " MiB"),
    atMost(`${idle} idle event streams: processor time a minute`, ms, 1_000, " ms"),
  ];
}

/** Opens a stream of events; resolves once it is open. */
function stream(url: string, options: http.RequestOptions): Promise<http.ClientRequest> {
  return new Promise((resolve, reject) => {
    const request = http.get(url, { ...options, agent: false }, (response) => {
      response.on("error", () => {}).resume();
      if (response.statusCode === 200) resolve(request);
      else reject(new Error(`the stream was answered with ${response.statusCode}`));
    });
    request.on("error", reject);
  });
}
