import { createHmac } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { chatTurnRows } from "./chat-turn.ts";
import { idleRows } from "./idle.ts";
import { load } from "./load.ts";
import { median, memory, wall } from "./processes.ts";
import { atLeast, atMost, type Row } from "./row.ts";
import { serve, serveGateway } from "./served.ts";

/** The gateway's start, memory and rest, how fast it accepts, and what it adds to a turn. */
export async function gatewayRows(): Promise<readonly Row[]> {
  return [...(await startRows()), ...(await idleRows()), ...(await ingestRows()), ...(await chatTurnRows())];
}

/**
 * Each start is a restart but for the first of a folder, which compiles all that it runs and lays
 * out the store.
 */
async function startRows(): Promise<readonly Row[]> {
  const firsts: number[] = [];
  const ratios: number[] = [];
  const idle: number[] = [];
  for (let folder = 0; folder < 3; folder += 1) {
    const dir = await mkdtemp(path.join(tmpdir(), "gantry-bench-"));
    try {
      const env = { SERVICE_CONFIG_DIR: dir };
      for (let i = 0; i < 4; i += 1) {
        const bare = await wall(["-e", "0"], env);
        const { seconds, mib } = await startOnce(env);
        (i === 0 ? firsts : ratios).push(seconds / bare);
        idle.push(mib);
      }
    } finally {
      await rm(dir, { recursive: true, force: true });
    }
  }
  return [
    atMost("gateway: restart to the first 200 on /health, against a bare node", median(ratios), 6, "x"),
    atMost("gateway: first start of a folder, against a bare node", median(firsts), 9, "x"),
    atMost("gateway: idle memory with the base plugins", median(idle), 80, " MiB"),
  ];
}

/** Seconds until /health answers, and the memory held a second later. */
async function startOnce(env: NodeJS.ProcessEnv): Promise<{ seconds: number; mib: number }> {
  const began = performance.now();
  const gateway = await serveGateway(env);
  try {
    const { status } = await fetch(`${gateway.found}/health`);
    const seconds = (performance.now() - began) / 1_000;
    if (status !== 200) throw new Error(`/health answered ${status}`);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    return { seconds, mib: memory(gateway.child.pid as number, "VmRSS") };
  } finally {
    await gateway.stop();
  }
}

const secret = "secret of the bench";
const connections = 64;

async function ingestRows(): Promise<readonly Row[]> {
  const ratios: number[] = [];
  for (let i = 0; i < 5; i += 1) ratios.push((await accepted("gantry")) / (await accepted("bare")));
  return [
    atLeast("POST /chatapp, signed, accepted durably, against a bare route", median(ratios), 0.75, "x"),
  ];
}

/**
 * Requests a second of a fresh server, after a warm-up; together they stay below what the inbox
 * takes.
 */
async function accepted(kind: "gantry" | "bare"): Promise<number> {
  const program = fileURLToPath(new URL("ingest-server.ts", import.meta.url));
  const server = await serve(["--conditions=gantry-source", program, kind, secret], {}, "stdout", /^(\d+)\n/);
  try {
    await load(Number(server.found), deliveries("warm-up", 3_000), connections);
    return await load(Number(server.found), deliveries("measured", 6_500), connections);
  } finally {
    await server.stop();
  }
}

/** Signed deliveries of one message each, of many senders. */
function deliveries(name: string, count: number): readonly Buffer[] {
  return Array.from({ length: count }, (_, i) => {
    const message = {
      from: `1555${i % 500}`,
      id: `wamid.${name}.${i}`,
      timestamp: "1700000000",
      type: "text",
      text: { body: `message ${i}` },
    };
    const value = { messaging_product: "whatsapp", metadata: { phone_number_id: "1" }, messages: [message] };
    const body = JSON.stringify({
      object: "whatsapp_business_account",
      entry: [{ id: "1", changes: [{ field: "messages", value }] }],
    });
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    const head = `POST /chatapp HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Hub-Signature-256: sha256=${signature}`;
    return Buffer.from(`${head}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  });
}
